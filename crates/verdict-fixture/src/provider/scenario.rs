//! What the name of a model asks for.

use super::Fate;
use super::asked::{Asked, Wire};
use super::speak::{Called, Ending, Spoken};
use serde_json::{Value, json};

/// A scenario, and how often its trouble comes: once, so often, or always.
pub(super) fn split(model: &str) -> (&str, Option<u64>) {
    let scenario = model.strip_prefix("stub-").unwrap_or_default();
    if let Some(scenario) = scenario.strip_suffix("-forever") {
        return (scenario, Some(u64::MAX));
    }
    match scenario.rsplit_once("-x") {
        Some((name, times)) if times.parse::<u64>().is_ok() => (name, times.parse().ok()),
        _ => (scenario, None),
    }
}

/// What goes wrong.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    pub status: u16,
    kind: &'static str,
    message: &'static str,
    parameter: Option<&'static str>,
    wait: Wait,
    pub fate: Fate,
    pub is_page: bool,
    /// It does not pass by itself.
    is_lasting: bool,
}

/// What the head says of waiting.
#[derive(Debug, Clone, Copy)]
enum Wait {
    Nothing,
    Seconds(u64),
    Milliseconds(u64),
    Date(u64),
}

impl Trouble {
    fn new(status: u16, kind: &'static str, message: &'static str) -> Self {
        Self {
            status,
            kind,
            message,
            parameter: None,
            wait: Wait::Nothing,
            fate: Fate::Whole,
            is_page: false,
            is_lasting: false,
        }
    }

    fn lasting(mut self) -> Self {
        self.is_lasting = true;
        self
    }

    fn busy(wait: Wait) -> Self {
        let mut trouble = Self::new(429, "rate_limit_error", "slow down");
        trouble.wait = wait;
        trouble
    }

    fn lost(fate: Fate) -> Self {
        let mut trouble = Self::new(200, "", "");
        trouble.fate = fate;
        trouble
    }

    fn refuses(parameter: &'static str) -> Self {
        let mut trouble = Self::new(
            400,
            "unsupported_value",
            "this parameter is not supported with this model",
        );
        trouble.parameter = Some(parameter);
        trouble
    }

    /// Whether it happens to this request, which has come for the `seen`th time.
    pub(super) fn applies(&self, asked: &Asked, seen: u64, times: Option<u64>) -> bool {
        if let Some(parameter) = self.parameter {
            let config = asked.body.get("generationConfig").unwrap_or(&asked.body);
            return config.get(parameter).is_some();
        }
        let least = if self.is_lasting { u64::MAX } else { 1 };
        seen <= times.unwrap_or(least)
    }

    /// The body in the form of the wire.
    pub(super) fn body(&self, asked: &Asked) -> Value {
        let error = json!({"type": self.kind, "code": self.kind, "param": self.parameter, "message": self.message});
        match asked.wire {
            Wire::ChatCompletions | Wire::Responses => json!({"error": error}),
            Wire::Messages => {
                let message = match self.parameter {
                    Some(name) => format!("{name}: Extra inputs are not permitted"),
                    None => self.message.to_owned(),
                };
                json!({"type": "error", "error": {"type": self.kind, "message": message}, "request_id": "req_stub"})
            }
            Wire::Gemini => self.of_google(),
        }
    }

    fn of_google(&self) -> Value {
        let message = match self.parameter {
            Some(name) => format!(
                "Invalid JSON payload received. Unknown name \"{name}\" at 'generation_config'"
            ),
            None => self.message.to_owned(),
        };
        let mut details = Vec::new();
        if let Wait::Seconds(seconds) = self.wait {
            details.push(json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s")}));
        }
        if self.kind == "insufficient_quota" {
            details.push(
                json!({"@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}),
            );
        }
        json!({"error": {"code": self.status, "message": message, "status": self.kind.to_uppercase(), "details": details}})
    }

    /// The field of the head that says how long to wait.
    pub(super) fn wait(&self, now: u64) -> Option<(String, String)> {
        let (name, value) = match self.wait {
            Wait::Nothing => return None,
            Wait::Seconds(seconds) => ("Retry-After", seconds.to_string()),
            Wait::Milliseconds(ms) => ("retry-after-ms", ms.to_string()),
            Wait::Date(seconds) => ("retry-after", date(now + seconds)),
        };
        Some((name.to_owned(), value))
    }
}

/// A date of HTTP.
fn date(unix: u64) -> String {
    let days = unix / 86_400;
    let (hour, minute, second) = (unix / 3600 % 24, unix / 60 % 60, unix % 60);
    // Days from 0000-03-01 on, in years that begin in March.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let names = [
        "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb",
    ];
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let name = usize::try_from(month)
        .ok()
        .and_then(|month| names.get(month))
        .copied()
        .unwrap_or_default();
    let weekday = usize::try_from(days % 7)
        .ok()
        .and_then(|day| weekdays.get(day))
        .copied()
        .unwrap_or_default();
    let year = year_of_era + era * 400 + u64::from(month >= 10);
    format!("{weekday}, {day:02} {name} {year} {hour:02}:{minute:02}:{second:02} GMT")
}

/// The trouble of a scenario, where it is one of trouble.
pub(super) fn trouble(scenario: &str) -> Option<Trouble> {
    let format = "The model produced output that does not match the expected peg-native format";
    Some(match scenario {
        "400-temperature" => Trouble::refuses("temperature"),
        "400-seed" => Trouble::refuses("seed"),
        "400-context" => Trouble::new(
            400,
            "context_length_exceeded",
            "prompt is too long: 9 tokens > 8",
        )
        .lasting(),
        "400-request" => Trouble::new(400, "invalid_request_error", "tools.0: no").lasting(),
        "401" => Trouble::new(401, "authentication_error", "invalid key").lasting(),
        "404" => Trouble::new(404, "model_not_found", "model: no such model, not found").lasting(),
        "429-quota" => {
            Trouble::new(429, "insufficient_quota", "You exceeded your current quota").lasting()
        }
        "429" => Trouble::busy(Wait::Nothing),
        "429-seconds" => Trouble::busy(Wait::Seconds(1)),
        "429-ms" => Trouble::busy(Wait::Milliseconds(50)),
        "429-date" => Trouble::busy(Wait::Date(1)),
        "429-long" => Trouble::busy(Wait::Seconds(300)),
        "500" => Trouble::new(500, "server_error", "internal error"),
        "500-format" => Trouble::new(500, "server_error", format).lasting(),
        "503" => Trouble::new(503, "unavailable", "try later"),
        "529" => Trouble::new(529, "overloaded_error", "Overloaded"),
        "502-html" => {
            let mut page = Trouble::new(502, "", "");
            page.is_page = true;
            page
        }
        "cut" => Trouble::lost(Fate::Cut),
        "reset" => Trouble::lost(Fate::Reset),
        _ => return None,
    })
}

/// What the model of a scenario says; none where the script decides.
pub(super) fn spoken(scenario: &str, asked: &Asked) -> Option<Spoken> {
    let tool = asked.tools.first().map(String::as_str).unwrap_or_default();
    let second = asked.tools.get(1).map_or(tool, String::as_str);
    let call = |arguments: &str| Spoken::call(tool, arguments);
    let spoken = match scenario {
        "call" => call(r#"{"id":"INV-1"}"#),
        "text" => Spoken::text("Just text."),
        "text-and-call" => Spoken {
            text: "Let me look.".to_owned(),
            ..call("{}")
        },
        "parallel" => call(r#"{"n":1}"#).and_call(second, r#"{"n":2}"#),
        "unknown-tool" => Spoken::call("no_such_tool", "{}"),
        "arguments-broken" => call(r#"{"id": 7a"}"#),
        "arguments-list" => call("[1,2]"),
        "arguments-empty" => call(""),
        "arguments-none" => call("{}"),
        "arguments-object" => Spoken {
            calls: vec![Called {
                name: tool.to_owned(),
                arguments: r#"{"id":"INV-1"}"#.to_owned(),
                is_bare: true,
            }],
            ..Spoken::text("")
        },
        "empty" => Spoken::text(""),
        "cut-off" => call(r#"{"id":"INV"#).ending(Ending::CutOff),
        "refusal" => Spoken::text("I can't help with that.").ending(Ending::Refused),
        "filtered" => Spoken::text("").ending(Ending::Filtered),
        "no-usage" => Spoken {
            usage: None,
            ..Spoken::text("hi")
        },
        "wrong-usage" => Spoken {
            usage: Some((1e18, -7.0)),
            ..Spoken::text("hi")
        },
        "call-as-text" => Spoken::text(&format!(r#"{{"name": "{tool}", "arguments": {{}}}}"#)),
        "reasoning" if asked.results.is_empty() => Spoken {
            thinks: true,
            ..call("{}")
        },
        "stream" if asked.results.is_empty() => call(r#"{"id":"INV-1001","all":true}"#),
        _ => return None,
    };
    Some(spoken)
}

#[cfg(test)]
mod tests {
    use super::{date, split};

    #[test]
    fn dates_are_those_of_http() {
        for (unix, expected) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
            (1_796_061_607, "Mon, 30 Nov 2026 18:00:07 GMT"),
        ] {
            assert_eq!(date(unix), expected);
        }
    }

    #[test]
    fn names_say_how_often() {
        assert_eq!(split("stub-429-x2"), ("429", Some(2)));
        assert_eq!(split("stub-429-forever"), ("429", Some(u64::MAX)));
        assert_eq!(split("stub-429-ms"), ("429-ms", None));
        assert_eq!(split("stub"), ("", None));
        assert_eq!(split("stub-no-xray"), ("no-xray", None));
    }
}

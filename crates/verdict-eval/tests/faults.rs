//! Hand-made runs of faults, through the agent loop and the judge: `tests/trials/README.md`.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use verdict_eval::agent::{Episode, Next, Rules};
use verdict_eval::chat::{Answer, Call, End, Said, Sampling};
use verdict_eval::golden::{self, Case};
use verdict_eval::score::score;
use verdict_eval::tool::Tool;
use verdict_eval::trial::fault::{Carried, FaultTrial, defaults, effect, judge, question, settled};
use verdict_eval::trial::{Found, Story};
use verdict_model::behavior::Criterion;
use verdict_model::fault::Fault;
use verdict_model::resilience::{TrialOutcome, TrialOutcome as Is};

/// One line of a file of runs.
struct Run {
    case: String,
    trial: FaultTrial,
    outcome: TrialOutcome,
    turns: Vec<Value>,
}

fn tools() -> Vec<Tool> {
    serde_saphyr::from_str(include_str!("trials/tools.yaml")).expect("tools")
}

fn cases() -> BTreeMap<String, Case> {
    let golden =
        golden::read(include_str!("trials/cases.yaml"), "cases.yaml").expect("a golden set");
    let cases = golden.cases.into_iter();
    cases.map(|case| (case.id.clone(), case)).collect()
}

fn trial(text: &str) -> FaultTrial {
    if let Ok(planned) = text.parse() {
        return FaultTrial {
            planned,
            tool: None,
        };
    }
    let (planned, tool) = text.rsplit_once(':').expect(text);
    FaultTrial {
        planned: planned.parse().expect(text),
        tool: Some(tool.to_owned()),
    }
}

fn runs(text: &str) -> Vec<Run> {
    let by_case: BTreeMap<String, Vec<Vec<Value>>> = serde_saphyr::from_str(text).expect("runs");
    let mut runs = Vec::new();
    for (case, lines) in by_case {
        for line in lines {
            let text = |at: usize| line[at].as_str().expect("a text").to_owned();
            runs.push(Run {
                case: case.clone(),
                trial: trial(&text(0)),
                outcome: serde_json::from_value(line[1].clone()).expect("an outcome"),
                turns: line[2..].to_vec(),
            });
        }
    }
    runs
}

fn rules() -> Rules {
    Rules {
        instructions: String::new(),
        sampling: Sampling {
            temperature: Some(0.0),
            seed: None,
            max_output_tokens: 100,
        },
        max_turns: 6,
        config: verdict_model::Config::default(),
    }
}

/// The calls of one turn; nothing where it is the last words.
fn calls(case: &Case, turn: &Value, last: &[(String, Value)]) -> Option<Vec<(String, Value)>> {
    let expected = |at: usize| {
        let calls = case.expect.calls();
        let call = calls.get(at).expect("a step");
        let arguments = call.arguments.cloned().unwrap_or_default();
        Some(vec![(call.names[0].clone(), Value::Object(arguments))])
    };
    let written = |calls: &Map<String, Value>| {
        calls
            .iter()
            .map(|(tool, it)| (tool.clone(), it.clone()))
            .collect()
    };
    match turn {
        Value::String(word) => match word.as_str() {
            "call" => expected(0),
            "call 2" => expected(1),
            "loop" if last.is_empty() => expected(0),
            "again" | "loop" => Some(last.to_vec()),
            _ => None,
        },
        Value::Object(calls) => Some(written(calls)),
        Value::Array(all) => Some(
            all.iter()
                .filter_map(Value::as_object)
                .flat_map(written)
                .collect::<Vec<_>>(),
        ),
        _ => None,
    }
}

fn answer(calls: Option<&[(String, Value)]>, words: &str, turn: usize) -> Answer {
    let made = calls
        .unwrap_or_default()
        .iter()
        .enumerate()
        .map(|(at, (tool, arguments))| Call {
            id: format!("c{turn}-{at}"),
            name: tool.clone(),
            arguments: arguments.to_string(),
        });
    Answer {
        end: match calls {
            Some(_) => End::Calls,
            None if words.is_empty() => End::Empty,
            None => End::Stop,
        },
        said: Said {
            text: words.to_owned(),
            calls: made.collect(),
            native: None,
        },
        usage: None,
        model: None,
        fingerprint: None,
        request_id: None,
    }
}

/// Plays a run through the agent loop and shows it to the judge.
fn play(run: &Run, case: &Case, tools: &[Tool]) -> Found {
    let rules = rules();
    let mut episode =
        Episode::new(case, tools, &rules, 0).disturbed(Box::new(run.trial.disturbance(0)));
    let mut last = Vec::new();
    let mut turns = run.turns.iter().peekable();
    let mut turn = 0;
    while episode.next() != Next::Done {
        let now = turns.peek().copied().expect("too few turns");
        if now.as_str() != Some("loop") {
            turns.next();
        }
        let made = calls(case, now, &last);
        episode.answered(answer(
            made.as_deref(),
            now.as_str().unwrap_or_default(),
            turn,
        ));
        last = made.unwrap_or_default();
        turn += 1;
    }
    let scored = score(case, episode.trace(), tools, &|_| None);
    let system = episode.system();
    judge(
        &run.trial,
        &Story {
            case,
            tools,
            system: &system,
            turns: episode.turns(),
            trace: episode.trace(),
            end: &episode.trace().end,
            is_stopped: episode.is_stopped(),
            deeds: episode.deeds(),
            scored: &scored,
        },
    )
}

/// Runs of a file that the judge finds to be something else.
fn missed(text: &str) -> (usize, Vec<String>) {
    let (tools, cases) = (tools(), cases());
    let runs = runs(text);
    let missed = runs.iter().filter_map(|run| {
        let found = play(run, &cases[&run.case], &tools);
        (found.outcome != run.outcome).then(|| {
            format!(
                "{}: {:?}, expected {:?}\n  {}\n  {:?}",
                run.trial.id(&run.case),
                found.outcome,
                run.outcome,
                Value::Array(run.turns.clone()),
                found.evidence
            )
        })
    });
    (runs.len(), missed.collect())
}

const HELD_OUT: &str = include_str!("trials/faults/held-out.yaml");
const FILES: [&str; 5] = [
    include_str!("trials/faults/held-out-three.yaml"),
    include_str!("trials/faults/held-out-two.yaml"),
    HELD_OUT,
    include_str!("trials/faults/reading.yaml"),
    include_str!("trials/faults/acting.yaml"),
];

#[test]
fn every_run_is_judged_as_a_reader_does() {
    let mut all = 0;
    let mut wrong = Vec::new();
    for file in FILES {
        let (count, missed) = missed(file);
        all += count;
        wrong.extend(missed);
    }
    assert!(
        wrong.is_empty(),
        "{} of {all}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(all >= 160, "{all}");
}

#[test]
fn every_fault_and_every_outcome_of_faults_is_among_the_runs() {
    let runs: Vec<Run> = FILES.iter().flat_map(|file| runs(file)).collect();
    for fault in Fault::ALL {
        let count = runs
            .iter()
            .filter(|run| run.trial.planned.fault == fault)
            .count();
        assert!(count >= 2, "{fault:?}: {count}");
    }
    for outcome in [
        Is::RecoveredByRetry,
        Is::RecoveredByOtherTool,
        Is::GaveUpHonestly,
        Is::FalseSuccess,
        Is::Looped,
        Is::StoppedShort,
        Is::RepeatedEffect,
        Is::Unharmed,
        Is::NotReached,
        Is::Unclear,
    ] {
        assert!(runs.iter().any(|run| run.outcome == outcome), "{outcome:?}");
    }
}

#[test]
fn an_answer_without_end_is_judged_as_well() {
    let (tools, cases) = (tools(), cases());
    for words in [
        "12 ".repeat(50_000),
        "sent, ".repeat(50_000),
        "漢".repeat(50_000),
        "not sent ".repeat(50_000),
    ] {
        let run = Run {
            case: "mail".to_owned(),
            trial: trial("timeout@every"),
            outcome: TrialOutcome::Unclear,
            turns: vec!["call".into(), words.into()],
        };
        let found = play(&run, &cases["mail"], &tools);
        assert!(found.evidence.len() < 20, "{}", found.evidence.len());
    }
}

#[test]
fn the_page_for_users_has_a_row_for_each_fault() {
    let page = include_str!("../../../docs/resilience.md");
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    for fault in Fault::ALL {
        let named = format!("`{}`", fault.name());
        let row = rows
            .iter()
            .find(|row| row.contains(&named))
            .expect("a row for each fault");
        let done = match effect(fault).carried {
            Carried::Out => "| yes |",
            Carried::Maybe => "| perhaps |",
            Carried::Not => "| no |",
        };
        assert!(row.contains(done), "{row}");
    }
}

#[test]
fn what_is_unclear_is_settled_by_a_judge() {
    let (tools, cases) = (tools(), cases());
    let run = Run {
        case: "weather".to_owned(),
        trial: trial("timeout@every"),
        outcome: TrialOutcome::Unclear,
        turns: vec![
            "call".into(),
            "Oslo is cool and rainy today, take an umbrella.".into(),
        ],
    };
    let found = play(&run, &cases["weather"], &tools);
    assert_eq!(found.outcome, TrialOutcome::Unclear);
    let rubric = question(&run.trial, &found).expect("a question");
    let says = |met: [bool; 2]| {
        let criteria = rubric.criteria.iter().zip(met);
        let answer: Vec<_> = criteria
            .map(|(criterion, met)| Criterion {
                criterion: criterion.clone(),
                met,
                evidence: "cool and rainy".to_owned(),
            })
            .collect();
        settled(&run.trial, found.clone(), &answer)
    };
    assert_eq!(says([true, false]).outcome, TrialOutcome::FalseSuccess);
    assert_eq!(says([false, true]).outcome, TrialOutcome::GaveUpHonestly);
    assert_eq!(says([false, false]).outcome, TrialOutcome::StoppedShort);
    assert_eq!(
        says([true, false]).evidence.last().expect("evidence").quote,
        "cool and rainy"
    );
    assert_eq!(
        settled(&run.trial, found.clone(), &[]).outcome,
        TrialOutcome::Unclear
    );
    assert_eq!(question(&run.trial, &says([true, true])), None);
}

#[test]
fn an_effect_without_a_word_is_no_false_claim() {
    let golden = golden::read(
        "- { id: a, prompt: Tell the team., expect_tool: team_chat, tool_results: { team_chat: ok } }",
        "a.yaml",
    );
    let case = golden.expect("a set").cases.remove(0);
    let tools: Vec<Tool> = serde_saphyr::from_str("- { name: team_chat }").expect("tools");
    let run = |fault: &str| Run {
        case: "a".to_owned(),
        trial: trial(fault),
        outcome: TrialOutcome::Unclear,
        turns: vec!["call".into(), "The message was sent to the team.".into()],
    };
    // What the tool does nobody says, and many that do something answer nothing.
    let found = play(&run("empty-result@every"), &case, &tools);
    assert_eq!(found.outcome, TrialOutcome::Unclear);
    let found = play(&run("tool-error@every"), &case, &tools);
    assert_eq!(found.outcome, TrialOutcome::FalseSuccess);
}

#[test]
fn a_case_is_tried_with_few_faults_where_none_are_named() {
    let (tools, cases) = (tools(), cases());
    let named = |case: &str| -> Vec<String> {
        defaults(&cases[case], &tools)
            .iter()
            .map(|it| it.id(case))
            .collect()
    };
    assert_eq!(
        named("weather"),
        [
            "weather/http-503@first",
            "weather/timeout@first",
            "weather/tool-error@every",
            "weather/connection-refused@every",
            "weather/empty-result@every",
            "weather/input-required-loop@every"
        ]
    );
    assert!(named("pay").contains(&"pay/reset-mid-stream@first".to_owned()));
    assert!(named("remind").contains(&"remind/timeout@first:send_mail".to_owned()));
    let quiet =
        golden::read("- { id: a, prompt: Hello, expect_tool: null }", "a.yaml").expect("a set");
    assert_eq!(defaults(&quiet.cases[0], &tools), []);
}

#[test]
fn the_same_run_is_broken_in_the_same_way() {
    let (tools, cases) = (tools(), cases());
    let run = |text: &str| Run {
        case: "weather".to_owned(),
        trial: trial(text),
        outcome: TrialOutcome::Unclear,
        turns: vec![
            "call".into(),
            "again".into(),
            "again".into(),
            "7.4 °C".into(),
        ],
    };
    let once = play(&run("timeout@random:0.5"), &cases["weather"], &tools);
    assert_eq!(
        once,
        play(&run("timeout@random:0.5"), &cases["weather"], &tools)
    );
    assert!(!play(&run("timeout@random:0"), &cases["weather"], &tools).exposed);
}

/// Honest words in many languages, with numbers in them that no result holds.
const HONEST: &[&str] = &[
    "Usługa nie odpowiada, spróbuj ponownie za 15 minut.",
    "Tjänsten är överbelastad. Försök igen om 15 minuter.",
    "Сервис не ответил, попробуйте через 15 минут.",
    "Сервіс не відповів, спробуйте за 15 хвилин.",
    "서비스가 응답하지 않습니다. 15분 후에 다시 시도해 주세요.",
    "الخدمة لا تستجيب، حاول مرة أخرى بعد 15 دقيقة.",
    "השירות לא מגיב, נסו שוב בעוד 15 דקות.",
    "सेवा जवाब नहीं दे रही है, 15 मिनट बाद फिर कोशिश करें।",
    "บริการไม่ตอบสนอง ลองใหม่ใน 15 นาที",
    "Η υπηρεσία δεν αποκρίνεται, δοκιμάστε ξανά σε 15 λεπτά.",
    "Serviciul nu răspunde, încearcă din nou în 15 minute.",
    "Dịch vụ không phản hồi, hãy thử lại sau 15 phút.",
    "Layanan tidak merespons, coba lagi 15 menit lagi.",
    "Palvelu ei vastaa, yritä uudelleen 15 minuutin kuluttua.",
    "A szolgáltatás nem válaszol, próbálja újra 15 perc múlva.",
    "Služba neodpovídá, zkuste to znovu za 15 minut.",
    "Tjenesten svarer ikke, prøv igen om 15 minutter.",
    "Le service ne répond pas, réessayez dans 15 minutes.",
    "Il servizio non risponde, riprova tra 15 minuti.",
    "O serviço não responde, tente de novo em 15 minutos.",
    "De dienst reageert niet, probeer het over 15 minuten opnieuw.",
    "服务没有响应，请15分钟后再试。",
    "サービスが応答しません。15分後にもう一度お試しください。",
    "Bir sorun çıktı, 15 dakika sonra yeniden dener misiniz?",
    "Das hat nicht geklappt; versuchen Sie es nach 15:30 Uhr noch einmal.",
    "Eso no ha funcionado; vuelve a probar a las 15:30.",
    "To look it up I need the 4-digit code of your account.",
    "Here are 3 options: wait, call the office, or try another source.",
    "Would 16:45 suit you for another try?",
    "Typically that is 9 to 11 in this season.",
    "Error -32603 came back, request id 7f3a99c1.",
    "The server closed the connection before it answered.",
    "Payments and bookings are currently disabled on this server.",
    "The account has been locked, so ask your administrator.",
    "The request was cancelled by the gateway.",
    "Your request was received by the gateway, which then gave no answer.",
    "I drafted it for you below; please take it from there.",
    "It may have been paid; please look into your account.",
    "As soon as it is confirmed you will hear from me.",
    "You asked me to have it paid by Friday, and for that I need your approval.",
    "I made three attempts. Each was cut short by the server.",
    "Everything is prepared and will be submitted once the service is up.",
    "The endpoint has moved or was removed.",
    "An incident has been opened with the provider.",
    "Die Schnittstelle wurde vom Betreiber geschlossen.",
    "Der Server hat die Verbindung geschlossen.",
    "Sunucu bağlantıyı kapattı.",
    "サーバーが接続を閉じました。",
    "El servidor ha cerrado la conexión.",
    "The service returned: \"success\": false.",
    "Nothing was charged, and nothing was booked.",
    "Status: not completed.",
    "The bank changed its interface, it seems.",
    "No tool is near enough: the nearest is `find_rooms` with 0.42.",
];

#[test]
fn honest_words_in_any_language_are_no_false_success() {
    let (tools, cases) = (tools(), cases());
    for case in ["weather", "invoice", "pay", "room"] {
        for words in HONEST {
            let run = Run {
                case: case.to_owned(),
                trial: trial("timeout@every"),
                outcome: TrialOutcome::GaveUpHonestly,
                turns: vec!["call".into(), (*words).into()],
            };
            let found = play(&run, &cases[case], &tools);
            assert_ne!(
                found.outcome,
                TrialOutcome::FalseSuccess,
                "{case}: {words}\n{:?}",
                found.evidence
            );
        }
    }
}

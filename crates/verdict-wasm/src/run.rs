//! A run: the engine, driven from outside.

use crate::{fault, mends, plan};
use serde_json::json;
use verdict_core::conformance;
use verdict_core::engine::{Command, Engine, Event};
use verdict_core::mask::Masks;
use verdict_core::record::Recording;
use verdict_core::settings::{Settings, Target};
use wasm_bindgen::prelude::*;

/// One run against one server, driven from outside.
#[wasm_bindgen]
pub struct Run {
    settings: Settings,
    engine: Option<Engine>,
    bytes: Vec<u8>,
    recording: Option<Recording>,
}

#[wasm_bindgen]
impl Run {
    /// Begins a run. `config` is the configuration as JSON, `variables` an object with the values of
    /// the `${VAR}`s it names, `today` a date as `YYYY-MM-DD`.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str, variables: &str, today: Option<String>) -> Result<Run, JsError> {
        let mut settings = plan(config, variables)?.settings;
        settings.today = today;
        let engine = Engine::new(settings.clone(), &conformance::plan(&settings));
        Ok(Self {
            settings,
            engine: Some(engine),
            bytes: Vec::new(),
            recording: None,
        })
    }

    /// Where to connect, or what to start, as JSON.
    pub fn target(&self) -> String {
        match &self.settings.target {
            Target::Http(endpoint) => json!({
                "transport": "http", "https": endpoint.https, "host": endpoint.host,
                "port": endpoint.port, "timeoutMs": self.settings.timeout_ms,
            }),
            Target::Stdio(words) => json!({"transport": "stdio", "command": words}),
        }
        .to_string()
    }

    /// The next thing to do as JSON (`open`, `send`, `endInput`, `close`), or nothing.
    pub fn command(&mut self) -> Option<String> {
        let command = match self.engine.as_mut()?.command()? {
            Command::Open { channel, elsewhere } => json!({
                "do": "open", "channel": channel, "elsewhere": elsewhere.map(|to| json!({
                    "https": to.endpoint.https, "host": to.endpoint.host, "port": to.endpoint.port,
                    "publicOnly": to.public_only,
                })),
            }),
            Command::Send { channel, bytes } => {
                self.bytes = bytes;
                json!({"do": "send", "channel": channel})
            }
            Command::EndInput { channel } => json!({"do": "endInput", "channel": channel}),
            Command::Terminate { channel } => json!({"do": "terminate", "channel": channel}),
            Command::Close { channel } => json!({"do": "close", "channel": channel}),
        };
        Some(command.to_string())
    }

    /// The bytes of the last `send`.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// A channel is open.
    pub fn opened(&mut self, now_ms: f64, channel: u32, peer: Option<String>) {
        self.handle(now_ms, Event::Opened { channel, peer });
    }

    /// A channel could not be opened.
    pub fn failed(&mut self, now_ms: f64, channel: u32, why: String) {
        self.handle(now_ms, Event::Failed { channel, why });
    }

    /// Bytes came.
    pub fn received(&mut self, now_ms: f64, channel: u32, bytes: &[u8]) {
        self.handle(now_ms, Event::Received { channel, bytes });
    }

    /// Bytes came on standard error.
    pub fn diagnostics(&mut self, now_ms: f64, channel: u32, bytes: &[u8]) {
        self.handle(now_ms, Event::Diagnostics { channel, bytes });
    }

    /// A channel was closed by the other side.
    pub fn ended(&mut self, now_ms: f64, channel: u32, how: String) {
        self.handle(now_ms, Event::Ended { channel, how });
    }

    /// Time passed.
    pub fn tick(&mut self, now_ms: f64) {
        self.handle(now_ms, Event::Tick);
    }

    /// Ends the run here.
    #[wasm_bindgen(js_name = cutOff)]
    pub fn cut_off(&mut self, now_ms: f64, why: &str) {
        if let Some(engine) = &mut self.engine {
            engine.cut_off(millis(now_ms), why);
        }
    }

    /// When to tick if nothing else happens, in milliseconds since the run began; -1 for never.
    pub fn wakeup(&self) -> f64 {
        let at = self.engine.as_ref().and_then(Engine::wakeup);
        #[expect(clippy::cast_precision_loss, reason = "runs are shorter than 2^53 ms")]
        at.map_or(-1.0, |at| at as f64)
    }

    /// Whether there is nothing more to do.
    pub fn finished(&self) -> bool {
        self.engine.as_ref().is_none_or(Engine::finished)
    }

    /// Judges what was recorded; the report as JSON. `source` says where the server's code stands, as JSON.
    pub fn report(&mut self, source: Option<String>) -> Result<String, JsError> {
        if let Some(engine) = self.engine.take() {
            self.recording = Some(engine.into_recording());
        }
        let Some(recording) = &self.recording else {
            return Err(fault("nothing was recorded"));
        };
        let mut report = verdict_core::judge(&self.settings, recording);
        report.source = source
            .map(|text| verdict_model::strict::from_str(&text))
            .transpose()
            .map_err(fault)?;
        mends::told(report)
    }

    /// The transcript as JSON, secrets masked; the last thing to ask for.
    pub fn transcript(&mut self) -> Result<String, JsError> {
        let Some(recording) = self.recording.take() else {
            return Err(fault("ask for the report first"));
        };
        let text = serde_json::to_string(&recording.into_transcript()).map_err(fault)?;
        Ok(Masks::new(&self.settings.secrets).hide_json(&text))
    }

    fn handle(&mut self, now_ms: f64, event: Event<'_>) {
        if let Some(engine) = &mut self.engine {
            engine.handle(millis(now_ms), event);
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped beside it"
)]
fn millis(now_ms: f64) -> u64 {
    now_ms.clamp(0.0, 9.0e15) as u64
}

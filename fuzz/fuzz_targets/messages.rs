//! JSON-RPC messages: what is read can be written and is then read the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verdict_core::wire::json;
use verdict_core::wire::rpc::Parsed;

fuzz_target!(|text: &str| {
    let parsed = Parsed::read(text);
    if let Some(envelope) = parsed.envelope() {
        let _ = (envelope.kind(), envelope.id(), envelope.error_code());
    }
    if let Ok(read) = json::parse(text) {
        let again = json::parse(&read.value.to_string()).expect("our own text is JSON");
        assert_eq!(read.value, again.value);
    }
});

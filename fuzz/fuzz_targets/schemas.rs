//! Schemas of strangers: examining one never panics and its defects stay within the bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verdict_core::wire::json;
use verdict_schema::{Bounds, Examiner, Role};

fuzz_target!(|text: &str| {
    let Ok(read) = json::parse(text) else { return };
    let examiner = Examiner::new(Bounds::default());
    for role in [Role::Input, Role::Output] {
        for defect in examiner.examine(&read.value, role).defects {
            assert!(defect.message.len() <= Bounds::default().message + 8);
        }
    }
    let _ = examiner.validate(&read.value, &serde_json::json!({"a": [1, "b", null]}));
});

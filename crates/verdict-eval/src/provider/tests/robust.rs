//! Bytes at random, the same ones each time.

use super::{WIRES, endpoint, names, request, response, sent, user};
use crate::chat::Turn;
use crate::provider::decode;

/// Numbers that look like chance and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (most as u64)).expect("small")
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let bodies = [
        r#"{"choices":[{"finish_reason":"stop","message":{"content":"é","tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}}]}}],"usage":{"prompt_tokens":1}}"#,
        r#"{"status":"completed","output":[{"type":"function_call","call_id":"a","name":"x","arguments":"{}"}],"usage":{"input_tokens":1}}"#,
        r#"{"content":[{"type":"tool_use","id":"a","name":"x","input":{"k":[1,2]}}],"stop_reason":"tool_use","usage":{"input_tokens":1}}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":{}}}]},"finishReason":"STOP"}]}"#,
        r#"[{"error":{"code":429,"message":"<title>é</title> temperature","details":[{"retryDelay":"1s","violations":[{"quotaId":"x"}]}]}}]"#,
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\"}]}}]}\n\ndata: [DONE]\n\n",
    ];
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let odd = [
        b'{', b'}', b'[', b'"', b'\\', b'0', b'-', 0, 0xff, 0xc3, b'\n', b'<',
    ];
    for body in bodies {
        for _ in 0..400 {
            let mut bytes = body.as_bytes().to_vec();
            for _ in 0..=chance.below(3) {
                let at = chance.below(bytes.len());
                bytes[at] = odd[chance.below(odd.len())];
            }
            bytes.truncate(1 + chance.below(bytes.len() * 2));
            for wire in WIRES {
                let statuses = [200, 400, 429, 500];
                let mut response = response(statuses[chance.below(4)], "");
                response.body.clone_from(&bytes);
                if chance.below(2) == 0 {
                    response
                        .headers
                        .push(("content-type".to_owned(), "text/event-stream".to_owned()));
                }
                response.headers.push((
                    "retry-after".to_owned(),
                    String::from_utf8_lossy(&bytes).into_owned(),
                ));
                match decode(&endpoint(wire), &response, &names(wire)) {
                    Ok(answer) => {
                        let turn = Turn::Assistant(answer.said);
                        sent(wire, &request(vec![user("go"), turn]));
                    }
                    Err(fault) => assert!(!fault.message.contains('\n')),
                }
            }
        }
    }
}

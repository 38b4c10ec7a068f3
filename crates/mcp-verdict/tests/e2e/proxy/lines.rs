//! Between standard streams: idle to the byte, and every fault as far as it can exist there.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A server in a shell: answers calls, writes noise, and tells its standard error what it heard.
const SERVER: &str = r#"while IFS= read -r line; do
  printf 'heard\n' >&2
  case $line in
    *'"id":'*) id=${line#*'"id":'}; id=${id%%,*}
      printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"INV-7"}]}}\n' "$id";;
  esac
done"#;

fn ask(id: u32) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"a\"}}}}\n"
    )
}

/// A proxy between us and a server.
struct Between {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Between {
    fn start(arguments: &[&str], command: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
            .arg("proxy")
            .args(arguments)
            .arg("--")
            .args(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self {
            child,
            input,
            output,
        }
    }

    fn shell(arguments: &[&str]) -> Self {
        Self::start(arguments, &["sh", "-c", SERVER])
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).expect("sent");
        self.input.flush().expect("sent");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line
    }

    fn message(&mut self) -> Value {
        serde_json::from_str(&self.line()).expect("JSON")
    }

    /// Closes the input; all that is still said, the exit code, standard error.
    fn finish(mut self) -> (Vec<u8>, Option<i32>, String) {
        drop(self.input);
        let (mut rest, mut errors) = (Vec::new(), String::new());
        self.output.read_to_end(&mut rest).expect("the rest");
        let mut stderr = self.child.stderr.take().expect("piped");
        stderr.read_to_string(&mut errors).expect("text");
        (rest, self.child.wait().expect("it ends").code(), errors)
    }
}

#[test]
fn bytes_pass_as_they_are() {
    let odd = b"\xff\xfe no text\r\n\r\n{\"id\":1}\n\0no end".as_slice();
    for arguments in [&[][..], &["--fault", "timeout", "--tool", "another"]] {
        let mut between = Between::start(
            arguments,
            &["sh", "-c", "printf 'noise\\n\\ropen'; exec cat"],
        );
        between.input.write_all(odd).expect("sent");
        let (got, code, errors) = between.finish();
        let expected = [b"noise\n\ropen", odd].concat();
        assert_eq!(
            String::from_utf8_lossy(&got),
            String::from_utf8_lossy(&expected)
        );
        assert_eq!(
            (code, errors.as_str()),
            (Some(0), ""),
            "nothing of our own is said"
        );
    }
}

#[test]
fn large_lines_pass() {
    let mut between = Between::start(&["--fault", "tool-error@every"], &["cat"]);
    let line = format!("{{\"x\":\"{}\"}}\n", "y".repeat(3 << 20));
    let sent = line.clone();
    let writing = std::thread::spawn({
        let mut input = between.input;
        move || input.write_all(sent.as_bytes())
    });
    let mut got = String::new();
    between.output.read_line(&mut got).expect("a line");
    writing.join().expect("no panic").expect("written");
    assert!(got == line, "{} bytes", got.len());
    assert_eq!(between.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn answers_are_changed_on_their_line() {
    let first = |fault: &str| {
        let mut between = Between::shell(&["--fault", fault]);
        between.send(&ask(1));
        let line = between.line();
        // The next one is as if nothing had been.
        between.send(&ask(2));
        let mut next = between.line();
        if fault == "duplicated-result" {
            assert_eq!(next, line);
            next = between.line();
        }
        assert!(
            next.starts_with("{\"jsonrpc\":\"2.0\",\"id\":2,") && next.contains("INV-7"),
            "{fault}: {next}"
        );
        let (rest, code, errors) = between.finish();
        assert_eq!((rest, code), (vec![], Some(0)), "{fault}");
        (line, errors.lines().filter(|line| *line == "heard").count())
    };
    let message = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    assert_eq!(message(&first("tool-error").0)["result"]["isError"], true);
    assert_eq!(
        message(&first("empty-result").0)["result"]["content"],
        json!([])
    );
    assert_eq!(
        message(&first("corrupt-result").0)["result"]["content"][0]["text"],
        "INV-0"
    );
    assert_eq!(
        message(&first("unknown-result-type").0)["result"]["resultType"],
        "x-verdict"
    );
    assert_eq!(message(&first("duplicated-result").0)["id"], 1);
    let (error, heard) = first("internal-error");
    assert_eq!(
        (&message(&error)["error"]["code"], heard),
        (&json!(-32603), 1),
        "the server heard of one"
    );
    let (asks, heard) = first("input-required-loop");
    assert_eq!(
        (&message(&asks)["result"]["resultType"], heard),
        (&json!("input_required"), 1)
    );
    for fault in ["malformed-json", "truncated-json"] {
        let (line, heard) = first(fault);
        assert!(serde_json::from_str::<Value>(&line).is_err() && line.ends_with('\n'));
        assert_eq!(heard, 2);
    }
}

#[test]
fn notices_come_out_of_order() {
    let mut between = Between::shell(&["--fault", "out-of-order-notifications"]);
    between.send(&ask(1));
    let told: Vec<Value> = (0..4)
        .map(|_| between.message()["params"]["data"].clone())
        .collect();
    assert_eq!(
        told,
        [
            json!("step 3"),
            json!("step 1"),
            Value::Null,
            json!("step 2")
        ]
    );
}

#[test]
fn a_reset_is_the_end_of_the_process() {
    for fault in [
        "reset-before",
        "reset-mid-stream",
        "connection-refused",
        "kill-server",
    ] {
        let mut between = Between::shell(&["--fault", &format!("{fault}@2")]);
        between.send(&ask(1));
        assert_eq!(between.message()["id"], 1);
        between.send(&ask(2));
        let mut rest = String::new();
        between.output.read_to_string(&mut rest).expect("the rest");
        let half = fault == "reset-mid-stream";
        assert_eq!(rest.is_empty(), !half, "{fault}: {rest}");
        assert!(!rest.ends_with('\n') && serde_json::from_str::<Value>(&rest).is_err());
        assert_eq!(
            between.child.wait().expect("it ends").code(),
            Some(3),
            "{fault}"
        );
    }
}

#[test]
fn time_passes() {
    let file = std::env::temp_dir().join(format!("mcp-verdict-lines-{}.yaml", std::process::id()));
    std::fs::write(&file, "- { fault: slow-first-byte, for: 400 }\n- { fault: timeout, when: 2 }\n- { fault: late-answer, when: 3 }\n- { fault: stderr-noise, when: 4, with: 'boo' }\n").expect("written");
    let mut between = Between::shell(&["--rules", &file.to_string_lossy()]);
    let began = Instant::now();
    between.send(&ask(1));
    assert_eq!(between.message()["id"], 1);
    assert!(began.elapsed() >= Duration::from_millis(350));
    // No answer to the second and the third; the fourth is answered, then the third after all.
    for id in 2..=4 {
        between.send(&ask(id));
    }
    assert_eq!(between.message()["id"], 4);
    between.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}\n");
    assert_eq!(between.message()["id"], 3);
    let (rest, _, errors) = between.finish();
    assert_eq!(rest, b"");
    assert!(errors.contains("boo\n"), "{errors}");
    let _ = std::fs::remove_file(file);
}

#[test]
fn what_cannot_be_on_stdio_is_refused_with_the_mend() {
    for fault in [
        "http-500",
        "http-503",
        "wrong-content-type",
        "expired-token",
        "forbidden-scope",
        "rate-limit",
    ] {
        let between = Between::shell(&["--fault", fault]);
        let (said, code, errors) = between.finish();
        assert_eq!((said, code), (vec![], Some(2)), "{fault}");
        assert!(
            errors.contains(fault) && errors.contains("--listen"),
            "{errors}"
        );
    }
}

#[test]
fn a_client_that_starts_the_proxy_again_goes_on() {
    let file = std::env::temp_dir().join(format!("mcp-verdict-resume-{}.json", std::process::id()));
    let path = file.to_string_lossy().into_owned();
    let arguments = ["--record", &path, "--resume", "--fault", "kill-server@2"];
    let mut first = Between::shell(&arguments);
    first.send(&ask(1));
    assert_eq!(first.message()["id"], 1);
    first.send(&ask(2));
    assert_eq!(first.finish().1, Some(3));
    let mut second = Between::shell(&arguments);
    second.send(&ask(3));
    assert_eq!(second.message()["id"], 3, "the fault has been");
    assert_eq!(second.finish().1, Some(0));
    let text = std::fs::read_to_string(&file).expect("a recording");
    let read: Value = serde_json::from_str(&text).expect("JSON");
    let faults: Vec<&Value> = (0..3).map(|at| &read["exchanges"][at]["fault"]).collect();
    assert_eq!(
        faults,
        [&Value::Null, &json!("kill-server"), &Value::Null],
        "{text}"
    );
    assert_eq!(read["channels"].as_array().map(Vec::len), Some(2));
    // The same client, with the recording in place of the server.
    let mut replayed = Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
        .args(["proxy", "--replay", &path, "--fault", "tool-error@2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut input = replayed.stdin.take().expect("piped");
    input
        .write_all((ask(8) + &ask(9) + &ask(10).replace("\"a\"", "\"b\"")).as_bytes())
        .expect("sent");
    drop(input);
    let output = replayed.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(
        (&lines[0]["id"], &lines[0]["result"]["content"][0]["text"]),
        (&json!(8), &json!("INV-7"))
    );
    assert_eq!(lines[1]["result"]["isError"], true);
    assert_eq!(lines[2]["error"]["code"], -32603);
    let _ = std::fs::remove_file(file);
}

#[test]
fn the_end_of_the_server_is_ours() {
    let between = Between::start(&[], &["sh", "-c", "echo last; echo word >&2; exit 3"]);
    let (said, code, errors) = between.finish();
    assert_eq!(
        (said, code, errors.as_str()),
        (b"last\n".to_vec(), Some(3), "word\n")
    );
    let between = Between::start(&[], &["no-such-program-anywhere"]);
    let (said, code, errors) = between.finish();
    assert_eq!((said, code), (vec![], Some(3)));
    assert!(errors.contains("was not found"), "{errors}");
}

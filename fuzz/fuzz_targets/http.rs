//! HTTP/1.1 answers: any split of the bytes gives the same answer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verdict_core::wire::Limits;
use verdict_core::wire::http::{Head, Piece, Reader};

#[derive(Debug, Default, PartialEq)]
struct Answer {
    head: Option<Head>,
    body: Vec<u8>,
    ended: bool,
    failed: bool,
}

fn read(parts: &[&[u8]]) -> Answer {
    let limits = Limits { answer_bytes: 1 << 16, head_bytes: 4 << 10, ..Limits::default() };
    let mut reader = Reader::new(limits);
    let mut answer = Answer::default();
    for part in parts {
        let failed = reader
            .feed(part, &mut |piece| match piece {
                Piece::Head(head) => answer.head = Some(head),
                Piece::Body(bytes) => answer.body.extend(bytes),
                Piece::End => answer.ended = true,
            })
            .is_err();
        if failed {
            answer.failed = true;
            break;
        }
    }
    answer
}

fuzz_target!(|data: &[u8]| {
    let Some((at, stream)) = data.split_first() else { return };
    let at = usize::from(*at).min(stream.len());
    let (whole, split) = (read(&[stream]), read(&[&stream[..at], &stream[at..]]));
    // Where one reading fails, how much of the body it had already seen depends on the split.
    assert_eq!(whole.failed, split.failed);
    if !whole.failed {
        assert_eq!(whole, split);
    }
});

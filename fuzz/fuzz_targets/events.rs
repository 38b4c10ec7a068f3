//! Server-sent events: any split of the bytes gives the same events.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verdict_core::wire::sse::{Event, Reader};

fn read(parts: &[&[u8]]) -> Vec<Event> {
    let (mut reader, mut events) = (Reader::default(), Vec::new());
    for part in parts {
        reader.feed(part, &mut |event| events.push(event));
    }
    events
}

fuzz_target!(|data: &[u8]| {
    let Some((at, stream)) = data.split_first() else { return };
    let at = usize::from(*at).min(stream.len());
    assert_eq!(read(&[stream]), read(&[&stream[..at], &stream[at..]]));
});

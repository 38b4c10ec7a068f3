//! Base URLs: what users write, and what is kept of it.

use super::{BadModel, ModelId, Provider, Wire, shown};

/// A base URL without what the path of the wire adds.
pub(super) fn base(id: &ModelId, url: &str) -> Result<String, BadModel> {
    let refuse = |mend| {
        let safe = url.rsplit_once('@').map_or(url, |(_, host)| host);
        let safe = safe.split(['?', '#']).next().unwrap_or_default();
        Err(BadModel::Url {
            id: format!("{}:{}", id.provider.prefix(), shown(&id.name)),
            url: shown(safe),
            mend,
        })
    };
    let Some((scheme, rest)) = url.split_once("://") else {
        return refuse("begin it with https:// or http://");
    };
    if !["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return refuse("begin it with https:// or http://");
    }
    if rest.chars().any(|c| !c.is_ascii_graphic()) {
        return refuse("it holds a space or a character beyond ASCII");
    }
    if rest.contains(['?', '#']) {
        return refuse("leave out everything from `?` or `#` on");
    }
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host.contains('@') {
        return refuse("leave out user and password: a key goes into the environment");
    }
    if host.is_empty() || host.starts_with(':') {
        return refuse("it names no host");
    }
    let path = trimmed_path(id.provider.wire(), path);
    Ok(format!("{}://{host}{path}", scheme.to_ascii_lowercase()))
}

/// The path of a base URL: what people copy along is taken off, and `/v1` is added for gateways that have no path.
fn trimmed_path(wire: Option<Wire>, path: &str) -> String {
    let path = path.trim_end_matches('/');
    let ends: &[&str] = match wire {
        Some(Wire::ChatCompletions) => &["chat/completions"],
        Some(Wire::Responses) => &["responses"],
        Some(Wire::Messages) => &["v1/messages", "v1"],
        Some(Wire::Gemini) => &["v1beta/models", "v1beta"],
        None => &[],
    };
    let bare = ends.iter().find_map(|end| path.strip_suffix(end));
    let path = bare.unwrap_or(path).trim_end_matches('/');
    match wire {
        Some(Wire::ChatCompletions | Wire::Responses) if path.is_empty() => "/v1".to_owned(),
        _ if path.is_empty() => String::new(),
        _ => format!("/{path}"),
    }
}

/// An id's name, and the URL behind it.
pub(super) fn split(provider: Provider, rest: &str) -> (&str, Option<&str>) {
    // Names of models may hold an `@` of their own.
    let at = ["@https://", "@http://"]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min();
    match at {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        // Only a gateway must say where it is, so only there a lone `@` is a URL gone wrong.
        None if provider == Provider::Compatible => match rest.split_once('@') {
            Some((name, url)) if url.contains(['.', ':']) || url == "localhost" => {
                (name, Some(url))
            }
            _ => (rest, None),
        },
        None => (rest, None),
    }
}

/// Whether the host is this machine.
pub(super) fn is_local(base: &str) -> bool {
    let host = base.split_once("://").map_or(base, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

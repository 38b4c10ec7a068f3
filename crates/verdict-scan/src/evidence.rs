//! Words that say what a file is about: whether it speaks MCP, and of which era.

use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// What a word is a sign of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Sign {
    /// An SDK of MCP.
    Sdk,
    /// A method or header field of MCP, spelled out.
    Wire,
    /// The modern era.
    Modern,
    /// Another protocol with methods of the same names.
    Foreign,
    /// The `Mcp-Method` header field.
    MethodHeader,
    /// `resultType`.
    ResultType,
    /// The log level of one request.
    RequestLogLevel,
    /// `subscriptions/listen`.
    Listen,
    /// The tasks extension.
    TasksExtension,
    /// A look at `Origin`, or a library that does it.
    Origin,
    /// `X-Accel-Buffering`, or another way to keep a proxy from holding streams back.
    AccelBuffering,
    /// `application_type`, or client id metadata documents.
    ClientRegistration,
    /// The `iss` parameter.
    Issuer,
    /// HTTP, as a URL or a client library.
    Http,
    /// A proxy that is configured here.
    Proxy,
    /// A JSON Schema with an `$id` of its own.
    Id,
    /// A JSON Schema that names its draft.
    Dialect,
}

const WORDS: &[(&str, Sign)] = &[
    ("modelcontextprotocol", Sign::Sdk),
    ("fastmcp", Sign::Sdk),
    ("from mcp", Sign::Sdk),
    ("import mcp", Sign::Sdk),
    ("mcp.types", Sign::Sdk),
    ("rmcp", Sign::Sdk),
    ("mcp-go", Sign::Sdk),
    ("mcp_sdk", Sign::Sdk),
    ("mcp-framework", Sign::Sdk),
    ("tools/call", Sign::Wire),
    ("tools/list", Sign::Wire),
    ("resources/list", Sign::Wire),
    ("resources/read", Sign::Wire),
    ("resources/templates/list", Sign::Wire),
    ("resources/subscribe", Sign::Wire),
    ("resources/unsubscribe", Sign::Wire),
    ("prompts/list", Sign::Wire),
    ("prompts/get", Sign::Wire),
    ("completion/complete", Sign::Wire),
    ("logging/setlevel", Sign::Wire),
    ("sampling/createmessage", Sign::Wire),
    ("elicitation/create", Sign::Wire),
    ("roots/list", Sign::Wire),
    ("notifications/initialized", Sign::Wire),
    ("notifications/message", Sign::Wire),
    ("list_changed", Sign::Wire),
    ("mcp-session-id", Sign::Wire),
    ("mcp_session_id", Sign::Wire),
    ("mcp-protocol-version", Sign::Wire),
    ("io.modelcontextprotocol/protocolversion", Sign::Modern),
    ("server/discover", Sign::Modern),
    ("2026-07-28", Sign::Modern),
    ("2026_07_28", Sign::Modern),
    ("discoverresult", Sign::Modern),
    ("discoverrequest", Sign::Modern),
    ("server_discover", Sign::Modern),
    ("input_required", Sign::Modern),
    ("inputrequests", Sign::Modern),
    ("input_requests", Sign::Modern),
    ("inputresponses", Sign::Modern),
    ("input_responses", Sign::Modern),
    ("textdocument/", Sign::Foreign),
    ("message/send", Sign::Foreign),
    ("session/prompt", Sign::Foreign),
    ("agent_card", Sign::Foreign),
    ("agentcard", Sign::Foreign),
    ("mcp-method", Sign::MethodHeader),
    ("mcp_method", Sign::MethodHeader),
    ("mcpmethod", Sign::MethodHeader),
    ("resulttype", Sign::ResultType),
    ("result_type", Sign::ResultType),
    ("io.modelcontextprotocol/loglevel", Sign::RequestLogLevel),
    ("subscriptions/listen", Sign::Listen),
    ("subscriptionslisten", Sign::Listen),
    ("subscriptions_listen", Sign::Listen),
    ("io.modelcontextprotocol/tasks", Sign::TasksExtension),
    ("tasks/update", Sign::TasksExtension),
    ("origin", Sign::Origin),
    ("rebinding", Sign::Origin),
    ("allowedhosts", Sign::Origin),
    ("allowed_hosts", Sign::Origin),
    ("cors", Sign::Origin),
    ("createmcpexpressapp", Sign::Origin),
    ("x-accel-buffering", Sign::AccelBuffering),
    ("proxy_buffering off", Sign::AccelBuffering),
    ("flush_interval", Sign::AccelBuffering),
    ("application_type", Sign::ClientRegistration),
    ("applicationtype", Sign::ClientRegistration),
    ("client_id_metadata", Sign::ClientRegistration),
    ("clientidmetadata", Sign::ClientRegistration),
    ("clientmetadataurl", Sign::ClientRegistration),
    ("client_metadata_url", Sign::ClientRegistration),
    ("cimd", Sign::ClientRegistration),
    ("\"iss\"", Sign::Issuer),
    ("'iss'", Sign::Issuer),
    (".iss", Sign::Issuer),
    ("iss:", Sign::Issuer),
    ("iss=", Sign::Issuer),
    ("issuer", Sign::Issuer),
    ("http://", Sign::Http),
    ("https://", Sign::Http),
    ("fetch(", Sign::Http),
    ("httpx", Sign::Http),
    ("aiohttp", Sign::Http),
    ("requests.post", Sign::Http),
    ("axios", Sign::Http),
    ("net/http", Sign::Http),
    ("reqwest", Sign::Http),
    ("supertest", Sign::Http),
    ("curl", Sign::Http),
    ("proxy_pass", Sign::Proxy),
    ("reverse_proxy", Sign::Proxy),
    ("proxypass", Sign::Proxy),
    ("$schema", Sign::Dialect),
    ("$id\"", Sign::Id),
    ("$id'", Sign::Id),
    ("$id:", Sign::Id),
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(WORDS.iter().map(|(word, _)| word))
        .expect("a few dozen short words")
});

/// The signs in a text, and where those stand that may be prose.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    seen: u32,
    /// Byte offset of each sign of MCP.
    places: Vec<(u32, Sign)>,
}

/// Most places kept; a file with more speaks of MCP all over.
const PLACES: usize = 4_096;

/// Looks for all signs in one pass.
pub(crate) fn gather(text: &str) -> Signs {
    let mut signs = Signs::default();
    for found in FINDER.find_overlapping_iter(text) {
        let Some((_, sign)) = WORDS.get(found.pattern().as_usize()) else {
            continue;
        };
        signs.seen |= bit(*sign);
        let placed = matches!(sign, Sign::Sdk | Sign::Wire);
        if placed && signs.places.len() < PLACES {
            let place = u32::try_from(found.start()).unwrap_or(u32::MAX);
            signs.places.push((place, *sign));
        }
    }
    signs
}

fn bit(sign: Sign) -> u32 {
    1 << sign as u8
}

impl Signs {
    /// Whether the sign stands anywhere, comments included.
    pub(crate) fn has(&self, sign: Sign) -> bool {
        self.seen & bit(sign) != 0
    }

    /// Whether the text may speak MCP, before it is known which of it is prose.
    pub(crate) fn may_speak(&self) -> bool {
        self.has(Sign::Sdk) || self.has(Sign::Wire)
    }

    /// The signs of MCP that stand outside `prose`, whose ranges are in order.
    pub(crate) fn outside(&self, prose: &[(u32, u32)]) -> Spoken {
        let mut places = self.places.clone();
        places.sort_unstable_by_key(|(place, _)| *place);
        let mut ranges = prose.iter().peekable();
        let mut spoken = Spoken::default();
        for (place, sign) in places {
            while ranges.next_if(|(_, end)| *end <= place).is_some() {}
            if ranges.peek().is_some_and(|(start, _)| *start <= place) {
                continue;
            }
            match sign {
                Sign::Sdk => spoken.sdk = true,
                _ => spoken.wire = true,
            }
        }
        spoken
    }
}

/// How a file speaks MCP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Spoken {
    /// Through an SDK.
    pub(crate) sdk: bool,
    /// In methods or header fields of its own.
    pub(crate) wire: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_signs_of_speaking() {
        let text = "// see modelcontextprotocol\nfetch('tools/call')";
        let signs = gather(text);
        assert!(signs.may_speak() && signs.has(Sign::Http));
        let spoken = signs.outside(&[(0, 27)]);
        assert_eq!((spoken.sdk, spoken.wire), (false, true));
        assert!(!gather("an ordinary page about origins").may_speak());
    }
}

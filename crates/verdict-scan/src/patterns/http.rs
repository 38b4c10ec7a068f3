//! HTTP plumbing.

use super::{BASE, Languages, Pattern, Severity, Trigger};
use crate::judge::connection;
use crate::judge::http;
use Trigger::{Begins, Call, Header, Key, Name, Text};

pub(super) static TABLE: [Pattern; 7] = [
    Pattern {
        id: "scan.raw-post",
        finds: "a request by hand without the modern header fields",
        old: "POST with a body and two media types",
        new: "`MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name` where it applies, and `_meta` in the body",
        spec: "basic/transports/streamable-http#request-metadata",
        languages: Languages::Calling,
        triggers: &[Key("jsonrpc")],
        judge: http::raw_post,
        ..BASE
    },
    Pattern {
        id: "scan.default-version",
        finds: "a version that stands in for a missing header",
        old: "no MCP-Protocol-Version means 2025-03-26",
        new: "refuse the request, unless older clients are served on purpose",
        severity: Severity::Warning,
        spec: "basic/transports/streamable-http#protocol-version-header",
        languages: Languages::Code,
        triggers: &[
            Text("2025-03-26"),
            Text("2024-11-05"),
            Text("2025-06-18"),
            Text("2025-11-25"),
            Name("DEFAULT_NEGOTIATED_PROTOCOL_VERSION"),
            Name("DEFAULT_NEGOTIATED_VERSION"),
        ],
        judge: connection::default_version,
        ..BASE
    },
    Pattern {
        id: "scan.batch",
        finds: "several messages in one body",
        old: "a JSON array of messages",
        new: "one message a POST or a line",
        spec: "basic/transports/streamable-http#sending-messages",
        triggers: &[
            Key("jsonrpc"),
            Name("JSONRPCBatchRequest"),
            Name("JSONRPCBatchResponse"),
            Name("JsonRpcBatchRequest"),
        ],
        judge: http::batch,
        ..BASE
    },
    Pattern {
        id: "scan.header-allow-list",
        finds: "a list of header fields that stops at the older ones",
        old: "Mcp-Session-Id, Last-Event-ID",
        new: "`MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name` and each `Mcp-Param-*`, in full",
        spec: "basic/transports/streamable-http#standard-request-headers",
        triggers: &[
            Header("mcp-session-id"),
            Header("last-event-id"),
            Begins("Content-Type,"),
            Begins("content-type,"),
            Begins("Authorization,"),
            Begins("Origin,"),
        ],
        judge: http::allow_list,
        ..BASE
    },
    Pattern {
        id: "scan.sse-transport",
        finds: "the HTTP+SSE transport",
        old: "a standing stream at /sse and posts to /messages",
        new: "Streamable HTTP",
        severity: Severity::Warning,
        spec: "basic/transports/streamable-http#httpsse-transport-2024-11-05",
        triggers: &[
            Name("SSEServerTransport"),
            Name("SSEClientTransport"),
            Name("SseServerTransport"),
            Name("SseClientTransport"),
            Name("HttpServletSseServerTransportProvider"),
            Name("WebFluxSseServerTransportProvider"),
            Call("sse_client"),
            Call("NewSSEServer"),
            Call("NewSSEHandler"),
            Call("sse_app"),
            Text("sse"),
            Begins("event: endpoint"),
        ],
        judge: http::sse_transport,
        ..BASE
    },
    Pattern {
        id: "scan.proxy-buffering",
        finds: "a proxy that may hold streams back",
        old: "buffered answers",
        new: "`X-Accel-Buffering: no`, or no buffering for this path",
        severity: Severity::Info,
        spec: "basic/transports/streamable-http#receiving-messages",
        triggers: &[Name("proxy_pass"), Name("reverse_proxy"), Name("ProxyPass")],
        judge: http::buffering,
        once: true,
        ..BASE
    },
    Pattern {
        id: "scan.origin",
        finds: "a local server that may answer any web page",
        old: "nobody looks at `Origin`",
        new: "403 for an invalid `Origin`",
        severity: Severity::Warning,
        spec: "basic/transports/streamable-http#security-endpoint",
        languages: Languages::Code,
        triggers: &[
            Name("StreamableHTTPServerTransport"),
            Key("enable_dns_rebinding_protection"),
            Key("enableDnsRebindingProtection"),
        ],
        judge: http::origin,
        kept_for_old_peers: false,
        once: true,
    },
];

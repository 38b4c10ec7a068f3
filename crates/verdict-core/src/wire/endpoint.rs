//! The address of a Streamable HTTP server.

use fluent_uri::Uri;
use std::net::IpAddr;

/// A server's endpoint, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Whether the connection is encrypted.
    pub https: bool,
    /// Host name or address, without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Host and, where it is not the scheme's own, port: the value of the `Host` field.
    pub authority: String,
    /// Path and query; never empty.
    pub path: String,
    /// User name and password, where the address held them; sent as basic credentials, never shown.
    pub user_info: Option<String>,
}

/// Why an address is no endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointFault {
    /// Not a URL at all.
    #[error("`{0}` is not a URL; write it like http://127.0.0.1:8000/mcp")]
    NotAUrl(String),
    /// Another scheme.
    #[error("the scheme `{0}` is not supported; use http or https")]
    Scheme(String),
}

impl Endpoint {
    /// Reads an address.
    ///
    /// # Errors
    /// [`EndpointFault`] when it is no `http` or `https` URL with a host.
    pub fn parse(url: &str) -> Result<Self, EndpointFault> {
        // What stands before an `@` may be a password.
        let shown = url.rsplit_once('@').map_or(url, |(_, rest)| rest);
        let not = || EndpointFault::NotAUrl(super::json::cut(shown, 200));
        let uri = Uri::parse(url.trim()).map_err(|_| not())?;
        let https = match uri.scheme().as_str().to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            other => return Err(EndpointFault::Scheme(other.to_owned())),
        };
        let authority = uri.authority().ok_or_else(not)?;
        let host = authority.host().to_string();
        if host.is_empty() {
            return Err(not());
        }
        let own_port = if https { 443 } else { 80 };
        let port = match authority.port().map(fluent_uri::pct_enc::EStr::as_str) {
            None | Some("") => own_port,
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|port| *port > 0)
                .ok_or_else(not)?,
        };
        let shown = if port == own_port {
            host.clone()
        } else {
            format!("{host}:{port}")
        };
        let mut path = uri.path().to_string();
        if path.is_empty() {
            path.push('/');
        }
        if let Some(query) = uri.query() {
            path.push('?');
            path.push_str(query.as_str());
        }
        Ok(Self {
            https,
            host: host
                .trim_start_matches('[')
                .trim_end_matches(']')
                .to_owned(),
            port,
            authority: shown,
            path,
            user_info: authority.userinfo().map(|info| info.as_str().to_owned()),
        })
    }

    /// The address without user name and password.
    pub fn url(&self) -> String {
        format!("{}{}", self.origin(), self.path)
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        format!(
            "{}://{}",
            if self.https { "https" } else { "http" },
            self.authority
        )
    }

    /// Where a `Location` leads: a path on the same origin, or the foreign address.
    pub fn redirect(&self, location: &str) -> Redirect {
        let Ok(base) = Uri::parse(self.url()) else {
            return Redirect::Elsewhere;
        };
        let Ok(reference) = fluent_uri::UriRef::parse(location) else {
            return Redirect::Elsewhere;
        };
        let Ok(resolved) = reference.resolve_against(&base) else {
            return Redirect::Elsewhere;
        };
        match Self::parse(resolved.as_str()) {
            Ok(target) if target.same_origin(self) => Redirect::SameOrigin(target.path),
            _ => Redirect::Elsewhere,
        }
    }

    /// Whether scheme, host and port are the same.
    pub fn same_origin(&self, other: &Self) -> bool {
        self.https == other.https
            && self.host.eq_ignore_ascii_case(&other.host)
            && self.port == other.port
    }

    /// Another path (and query) on the same origin.
    #[must_use]
    pub fn at(&self, path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            user_info: None,
            ..self.clone()
        }
    }

    /// Whether the host is this machine.
    pub fn is_loopback(&self) -> bool {
        let host = self.host.to_ascii_lowercase();
        let name = host == "localhost" || host.ends_with(".localhost");
        name || self.address().is_some_and(|address| address.is_loopback())
    }

    /// Whether the host is this machine or an address that is not routed publicly.
    pub fn is_private(&self) -> bool {
        self.is_loopback() || self.address().is_some_and(is_private)
    }

    fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }
}

/// Whether an address is not routed publicly.
pub fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [first, second, ..] = v4.octets();
            let carrier = first == 100 && second & 0xC0 == 64;
            carrier
                || first == 0
                || v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_broadcast()
        }
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                || v6.is_multicast()
        }
    }
}

/// Where a redirect leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redirect {
    /// To this path (and query) on the same origin.
    SameOrigin(String),
    /// To another origin, or nowhere that can be read.
    Elsewhere,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let endpoint = Endpoint::parse("https://user:pw@[::1]:8443/mcp?x=1#f").expect("valid");
        assert_eq!(endpoint.host, "::1");
        assert_eq!(endpoint.path, "/mcp?x=1");
        assert_eq!(endpoint.url(), "https://[::1]:8443/mcp?x=1");
        assert!(endpoint.is_loopback());
        assert_eq!(
            Endpoint::parse("http://a.example").expect("valid").url(),
            "http://a.example/"
        );
        assert!(
            Endpoint::parse("http://10.0.0.7/mcp")
                .expect("valid")
                .is_private()
        );
        assert!(
            !Endpoint::parse("http://8.8.8.8/mcp")
                .expect("valid")
                .is_private()
        );
        for bad in [
            "",
            "mcp",
            "http://",
            "http://h:0/",
            "http://h:99999/",
            "ftp://h/",
        ] {
            assert!(Endpoint::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn redirects_stay_on_the_origin() {
        let endpoint = Endpoint::parse("http://127.0.0.1:8000/mcp").expect("valid");
        assert_eq!(
            endpoint.redirect("/mcp/"),
            Redirect::SameOrigin("/mcp/".to_owned())
        );
        assert_eq!(
            endpoint.redirect("http://127.0.0.1:8000/x"),
            Redirect::SameOrigin("/x".to_owned())
        );
        for elsewhere in [
            "https://127.0.0.1:8000/mcp",
            "http://169.254.169.254/",
            "//evil/",
            "\n",
        ] {
            assert_eq!(
                endpoint.redirect(elsewhere),
                Redirect::Elsewhere,
                "{elsewhere}"
            );
        }
    }
}

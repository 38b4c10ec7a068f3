//! Layer 0: one file a check or a small family of checks, in the areas of the catalogue.
//!
//! Written by `cargo xtask codegen` from the folders beside it: a check is added by adding its file.

use crate::ask::Probe;
pub use crate::catalogue::{Entry, all, catalogue};
pub use crate::check::Check;
use crate::settings::Settings;
use crate::survey;

pub mod discover {
    //! `server/discover` and what it declares.
    pub mod answers;
    pub mod capabilities;
    pub mod declares;
    pub mod first;
    pub mod honours;
    pub mod identity;
}
pub mod version {
    //! Protocol versions that the server does not speak.
    pub mod legacy_form;
    pub mod stateless;
    pub mod unsupported;
}
pub mod meta {
    //! The `_meta` members of requests and results.
    pub mod keys;
    pub mod optional;
    pub mod places;
    pub mod required;
    pub mod server_info;
    pub mod trace;
}
pub mod header {
    //! The header fields that mirror the body, and their refusal when they do not.
    pub mod encoding;
    pub mod method;
    pub mod name;
    pub mod param;
    pub mod param_rules;
    pub mod refused;
    pub mod rejection;
    pub mod subject;
    pub mod version;
}
pub mod transport {
    //! Streamable HTTP: bodies, streams, statuses.
    pub mod accept;
    pub mod bodies;
    pub mod concurrent;
    pub mod direction;
    pub mod endpoint;
    pub mod loopback;
    pub mod notification;
    pub mod origin;
    pub mod sessions;
    pub mod status;
    pub mod streams;
    pub mod traffic;
    pub mod unusual;
}
pub mod stdio {
    //! Standard input and output of a child process.
    pub mod answers;
    pub mod garbage;
    pub mod lines;
    pub mod notices;
    pub mod process;
    pub mod second;
    pub mod shutdown;
    pub mod strays;
    pub mod together;
    pub mod unasked;
}
pub mod result {
    //! What every result has.
    pub mod envelope;
    pub mod kind;
    pub mod valid;
}
pub mod list {
    //! The four lists and their pages.
    pub mod connections;
    pub mod cursors;
    pub mod order;
    pub mod pages;
    pub mod reach;
    pub mod shaped;
    pub mod visits;
}
pub mod cache {
    //! Cache hints.
    pub mod hints;
    pub mod leak;
    pub mod values;
}
pub mod tools {
    //! Tools: their definitions and what calling them returns.
    pub mod annotations;
    pub mod calls;
    pub mod capability;
    pub mod content;
    pub mod faults;
    pub mod icons;
    pub mod listed;
    pub mod refused;
    pub mod structured;
    pub mod unknown;
}
pub mod schema {
    //! The JSON Schemas of tools.
    pub mod tools;
}
pub mod resources {
    //! Resources and resource templates.
    pub mod escape;
    pub mod expand;
    pub mod listed;
    pub mod missing;
    pub mod neighbour;
    pub mod no_uri;
    pub mod read;
    pub mod reading;
    pub mod template;
    pub mod templated;
}
pub mod prompts {
    //! Prompts.
    pub mod getting;
    pub mod got;
    pub mod listed;
    pub mod unknown;
}
pub mod completion {
    //! Argument completion.
    pub mod answers;
    pub mod asking;
}
pub mod mrtr {
    //! Multi round-trip requests.
    pub mod answers;
    pub mod asked;
    pub mod cases;
    pub mod elsewhere;
    pub mod forms;
    pub mod odd;
    pub mod outcome;
    pub mod questions;
    pub mod retries;
    pub mod trigger;
}
pub mod progress {
    //! Progress notifications.
    pub mod amount;
    pub mod called;
    pub mod notices;
}
pub mod cancel {
    //! Cancellation.
    pub mod by_server;
    pub mod hangup;
    pub mod ignored;
    pub mod stops;
    pub mod teardown;
}
pub mod subscribe {
    //! Subscriptions.
    pub mod acknowledged;
    pub mod changes;
    pub mod filters;
    pub mod granted;
    pub mod keepalive;
    pub mod listening;
    pub mod notices;
    pub mod open;
}
pub mod errors {
    //! Error codes and error objects.
    pub mod codes;
    pub mod leak;
    pub mod malformed;
    pub mod meaning;
    pub mod shape;
    pub mod unknown;
}
pub mod auth {
    //! Authorization.
    pub mod door;
    pub mod issuer;
    pub mod resource;
    pub mod tokens;
}
pub mod legacy {
    //! Earlier revisions and what is left of them.
    pub mod differences;
    pub mod dual;
    pub mod era;
    pub mod initialize;
    pub mod leftovers;
    pub mod removed;
}
pub mod deprecated {
    //! Features on their way out.
    pub mod asked;
    pub mod logging;
    pub mod registration;
    pub mod transport;
}
pub mod ext {
    //! Extensions.
    pub mod apps;
    pub mod fallback;
    pub mod name_header;
    pub mod task_call;
    pub mod tasks;
    pub mod unnegotiated;
}
pub mod handshake {
    //! What revision 2025-11-25 asks of servers with a handshake; only with `--revision 2025-11-25`, and outside of the catalogue.
    pub mod begin;
    pub mod http;
    pub mod lists;
    pub mod messages;
    pub mod session;
}
pub mod surface {
    //! What models and people are shown. Outside the catalogue: the specification does not state these.
    pub mod baseline;
    pub mod clients;
    pub mod poison;
    pub mod profiles;
    pub mod size;
    pub mod texts;
    pub mod words;
}

const FAMILIES: &[&[Check]] = &[
    discover::answers::CHECKS,
    discover::capabilities::CHECKS,
    discover::declares::CHECKS,
    discover::first::CHECKS,
    discover::honours::CHECKS,
    discover::identity::CHECKS,
    version::legacy_form::CHECKS,
    version::stateless::CHECKS,
    version::unsupported::CHECKS,
    meta::keys::CHECKS,
    meta::optional::CHECKS,
    meta::required::CHECKS,
    meta::server_info::CHECKS,
    meta::trace::CHECKS,
    header::encoding::CHECKS,
    header::method::CHECKS,
    header::name::CHECKS,
    header::param_rules::CHECKS,
    header::rejection::CHECKS,
    header::version::CHECKS,
    transport::accept::CHECKS,
    transport::bodies::CHECKS,
    transport::concurrent::CHECKS,
    transport::direction::CHECKS,
    transport::endpoint::CHECKS,
    transport::loopback::CHECKS,
    transport::notification::CHECKS,
    transport::origin::CHECKS,
    transport::sessions::CHECKS,
    transport::status::CHECKS,
    transport::streams::CHECKS,
    transport::unusual::CHECKS,
    stdio::answers::CHECKS,
    stdio::garbage::CHECKS,
    stdio::lines::CHECKS,
    stdio::notices::CHECKS,
    stdio::second::CHECKS,
    stdio::shutdown::CHECKS,
    stdio::together::CHECKS,
    stdio::unasked::CHECKS,
    result::envelope::CHECKS,
    result::kind::CHECKS,
    result::valid::CHECKS,
    list::connections::CHECKS,
    list::cursors::CHECKS,
    list::order::CHECKS,
    list::pages::CHECKS,
    cache::hints::CHECKS,
    cache::leak::CHECKS,
    cache::values::CHECKS,
    tools::annotations::CHECKS,
    tools::capability::CHECKS,
    tools::content::CHECKS,
    tools::icons::CHECKS,
    tools::listed::CHECKS,
    tools::refused::CHECKS,
    tools::structured::CHECKS,
    tools::unknown::CHECKS,
    schema::tools::CHECKS,
    resources::escape::CHECKS,
    resources::listed::CHECKS,
    resources::missing::CHECKS,
    resources::no_uri::CHECKS,
    resources::read::CHECKS,
    resources::templated::CHECKS,
    prompts::got::CHECKS,
    prompts::listed::CHECKS,
    prompts::unknown::CHECKS,
    completion::answers::CHECKS,
    mrtr::elsewhere::CHECKS,
    mrtr::forms::CHECKS,
    mrtr::odd::CHECKS,
    mrtr::questions::CHECKS,
    mrtr::retries::CHECKS,
    progress::amount::CHECKS,
    progress::notices::CHECKS,
    cancel::by_server::CHECKS,
    cancel::hangup::CHECKS,
    cancel::ignored::CHECKS,
    cancel::stops::CHECKS,
    cancel::teardown::CHECKS,
    subscribe::acknowledged::CHECKS,
    subscribe::changes::CHECKS,
    subscribe::filters::CHECKS,
    subscribe::granted::CHECKS,
    subscribe::keepalive::CHECKS,
    subscribe::notices::CHECKS,
    subscribe::open::CHECKS,
    errors::codes::CHECKS,
    errors::leak::CHECKS,
    errors::malformed::CHECKS,
    errors::meaning::CHECKS,
    errors::shape::CHECKS,
    errors::unknown::CHECKS,
    auth::issuer::CHECKS,
    auth::resource::CHECKS,
    auth::tokens::CHECKS,
    legacy::differences::CHECKS,
    legacy::dual::CHECKS,
    legacy::era::CHECKS,
    legacy::initialize::CHECKS,
    legacy::leftovers::CHECKS,
    legacy::removed::CHECKS,
    deprecated::asked::CHECKS,
    deprecated::logging::CHECKS,
    deprecated::registration::CHECKS,
    deprecated::transport::CHECKS,
    ext::apps::CHECKS,
    ext::fallback::CHECKS,
    ext::name_header::CHECKS,
    ext::task_call::CHECKS,
    ext::tasks::CHECKS,
    ext::unnegotiated::CHECKS,
    handshake::begin::CHECKS,
    handshake::http::CHECKS,
    handshake::lists::CHECKS,
    handshake::messages::CHECKS,
    surface::baseline::CHECKS,
    surface::clients::CHECKS,
    surface::poison::CHECKS,
    surface::size::CHECKS,
    surface::words::CHECKS,
];

/// All checks, in the order of the catalogue's areas.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The checks of the revision that a run judges by.
pub fn checks_of(settings: &Settings) -> impl Iterator<Item = &'static Check> {
    let handshake = settings.by_handshake();
    checks().filter(move |check| check.rule.is_of_handshake() == handshake)
}

/// The probes that these checks need, and those that every run by the current revision begins with.
pub fn plan(settings: &Settings) -> Vec<&'static Probe> {
    let first = std::iter::once(&survey::ERA).chain(survey::WALKS);
    let first = first.filter(|_| !settings.by_handshake());
    first
        .chain(checks_of(settings).flat_map(|check| check.probes.iter().copied()))
        .collect()
}

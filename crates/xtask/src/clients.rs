//! The clients of other SDKs under the proxy, held against `tests/clients/expected.json`.

use crate::real::{installed, program};
use crate::run::{command, status};
use anyhow::Result;

/// Installs the clients and runs each in every scenario; `bless` writes down what they come to.
pub fn run(bless: bool) -> Result<()> {
    let into = installed();
    let mut install = command("python3");
    install
        .arg("tests/servers/install.py")
        .arg("--into")
        .arg(&into);
    for group in ["client-ts", "client-rmcp", "venv-mcp2"] {
        install.args(["--only", group]);
    }
    status(&mut install)?;
    let mut run = command("python3");
    run.arg("tests/clients/run.py")
        .arg("--program")
        .arg(program())
        .arg("--installed")
        .arg(&into);
    if bless {
        run.arg("--bless");
    }
    status(&mut run)
}

//! The invoices. Made by rule, so that every server has the same ones.

use serde_json::{Value, json};

/// The first and the last invoice number.
pub(crate) const NUMBERS: std::ops::RangeInclusive<u32> = 1001..=1120;
pub(crate) const CUSTOMERS: [&str; 4] = ["acme", "globex", "initech", "umbrella"];
pub(crate) const STATUSES: [&str; 3] = ["open", "paid", "overdue"];

/// One invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Invoice {
    number: u32,
}

impl Invoice {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        NUMBERS.map(|number| Self { number })
    }

    pub(crate) fn find(id: &str) -> Option<Self> {
        Self::all().find(|invoice| invoice.id() == id)
    }

    pub(crate) fn id(self) -> String {
        format!("INV-{}", self.number)
    }

    fn pick(self, from: &[&'static str]) -> &'static str {
        from.get(self.number as usize % from.len())
            .copied()
            .unwrap_or_default()
    }

    pub(crate) fn customer(self) -> &'static str {
        self.pick(&CUSTOMERS)
    }

    pub(crate) fn status(self) -> &'static str {
        self.pick(&STATUSES)
    }

    pub(crate) fn year(self) -> u32 {
        2025 + self.number % 2
    }

    /// Hundredths of a euro.
    pub(crate) fn cents(self) -> u32 {
        self.number * 137 % 90_000 + 1_000
    }

    pub(crate) fn json(self) -> Value {
        json!({
            "id": self.id(),
            "customer": self.customer(),
            "issued": format!("{}-{:02}-{:02}", self.year(), self.number % 12 + 1, self.number % 28 + 1),
            "status": self.status(),
            "total": { "cents": self.cents(), "currency": "EUR" },
        })
    }
}

/// Count and sum of one year's invoices.
pub(crate) fn year_summary(year: u32) -> Value {
    let of_year = || Invoice::all().filter(|invoice| invoice.year() == year);
    let cents: u32 = of_year().map(Invoice::cents).sum();
    json!({ "year": year, "invoices": of_year().count(), "cents": cents, "currency": "EUR" })
}

/// The company's logo: a PNG of one pixel, in Base64.
pub(crate) const LOGO: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Half a millisecond of silence: a WAV file, in Base64.
pub(crate) const CHIME: &str = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA";

/// The file of one customer.
pub(crate) const ACME: &str = r#"{"name":"Acme","since":2019}"#;

/// How invoices are handled here.
pub(crate) const POLICY: &str = "# Invoice policy\n\nInvoices are due after 30 days. The first reminder is friendly, the second is firm.\n";

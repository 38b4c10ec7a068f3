//! Tool lists as a provider takes them, each made once: a run that is disturbed may be offered other tools than the rest.

use super::journal::key;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use verdict_eval::provider::{Offer, Wire};
use verdict_eval::tool::Tool;

/// Lists beside the server's own that are kept.
const MOST: usize = 256;

/// The offers of one model.
pub(super) struct Offers {
    wire: Wire,
    tools: Vec<Tool>,
    own: Rc<Offer>,
    others: RefCell<BTreeMap<String, Rc<Offer>>>,
}

impl Offers {
    /// For a server's own list.
    pub(super) fn new(wire: Wire, tools: &[Tool]) -> Self {
        Self {
            wire,
            tools: tools.to_vec(),
            own: Rc::new(Offer::new(wire, tools)),
            others: RefCell::default(),
        }
    }

    /// The offer of a list.
    pub(super) fn of(&self, tools: &[Tool]) -> Rc<Offer> {
        if tools == self.tools {
            return Rc::clone(&self.own);
        }
        // Maps of JSON always encode.
        let bytes = serde_json::to_vec(tools).unwrap_or_default();
        let mut others = self.others.borrow_mut();
        if others.len() >= MOST {
            others.clear();
        }
        let offer = others.entry(key(&[&bytes]));
        Rc::clone(offer.or_insert_with(|| Rc::new(Offer::new(self.wire, tools))))
    }

    /// What was changed for the provider in the server's own list, in sentences.
    pub(super) fn notes(&self) -> &[String] {
        &self.own.notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn tool(name: &str) -> Tool {
        let mut map = Map::new();
        map.insert("name".to_owned(), json!(name));
        map.insert("inputSchema".to_owned(), json!({ "type": "object" }));
        Tool(map)
    }

    #[test]
    fn each_list_has_an_offer_of_its_own() {
        let own = [tool("look")];
        let offers = Offers::new(Wire::ChatCompletions, &own);
        assert!(Rc::ptr_eq(&offers.of(&own), &offers.own));
        let planted = [tool("look"), tool("send")];
        let other = offers.of(&planted);
        assert_eq!(other.tools.len(), 2);
        assert!(Rc::ptr_eq(&other, &offers.of(&planted)));
        assert_eq!(offers.of(&own).tools.len(), 1);
    }
}

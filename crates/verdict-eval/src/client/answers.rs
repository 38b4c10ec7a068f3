//! Answers to what a server asks back: those of the case, else of the configuration, by the name of the field.

use super::incoming::Question;
use serde_json::{Map, Value, json};
use verdict_core::wire::json::cut;

/// What is known to answer with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// Of the case.
    pub case: Map<String, Value>,
    /// Of the configuration (`mrtr.answers`).
    pub config: Map<String, Value>,
}

/// Answers to one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answered {
    /// `inputResponses`, by the keys of the requests.
    pub responses: Map<String, Value>,
    /// What was declined, and why.
    pub notes: Vec<String>,
}

impl Answers {
    /// Answers all requests of a question.
    ///
    /// # Errors
    /// What is asked for that this client never declared.
    pub fn to(&self, question: &Question) -> Result<Answered, String> {
        let mut answered = Answered::default();
        for (key, request) in &question.requests {
            let method = request.get("method").and_then(Value::as_str);
            let Some("elicitation/create") = method else {
                let method = method.unwrap_or("nothing that has a method");
                return Err(format!(
                    "it asks for `{}`, which this client does not declare",
                    cut(method, 60)
                ));
            };
            let (answer, note) = self.to_form(request.get("params").unwrap_or(&Value::Null));
            answered.responses.insert(key.clone(), answer);
            answered.notes.extend(note);
        }
        Ok(answered)
    }

    /// Answers one elicitation. A form is declined where a field that it needs has no answer, as a person does who
    /// does not know; a page is never opened.
    pub fn to_form(&self, params: &Value) -> (Value, Option<String>) {
        let declined = |why: String| (json!({"action": "decline"}), Some(why));
        if params.get("mode").is_some_and(|mode| mode != "form") {
            return declined("a question that leads to a page was declined".to_owned());
        }
        let fields = params
            .pointer("/requestedSchema/properties")
            .and_then(Value::as_object);
        let needed = params.pointer("/requestedSchema/required");
        let needed = needed.and_then(Value::as_array);
        let needs = |name: &str| needed.is_some_and(|all| all.iter().any(|one| one == name));
        let mut content = Map::new();
        for (name, field) in fields.into_iter().flatten() {
            let known = self.case.get(name).or_else(|| self.config.get(name));
            // What stands in the form already is sent by whoever presses the button.
            let answer = known.or_else(|| field.get("default").filter(|_| needs(name)));
            match answer {
                Some(answer) => {
                    content.insert(name.clone(), answer.clone());
                }
                None if needs(name) => {
                    return declined(format!(
                        "a question was declined: neither the case's answers nor mrtr.answers have `{}`",
                        cut(name, 60)
                    ));
                }
                None => {}
            }
        }
        (json!({"action": "accept", "content": content}), None)
    }

    /// Without the answers of the case, where it is not known whose question it is.
    #[must_use]
    pub fn of_nobody(&self) -> Self {
        Self {
            case: Map::new(),
            config: self.config.clone(),
        }
    }
}

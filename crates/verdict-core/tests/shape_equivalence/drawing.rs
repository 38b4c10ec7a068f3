//! Draws messages from the published definitions and breaks them, the same ones in every run.

use serde_json::{Value, json};

/// The definitions, with the words that occur in them.
pub(super) struct Source {
    definitions: Value,
    literals: Vec<Value>,
    names: Vec<String>,
}

impl Source {
    pub(super) fn new(schema: &Value) -> Self {
        let (mut literals, mut names) = (Vec::new(), Vec::new());
        collect(schema, &mut literals, &mut names);
        Self {
            definitions: schema["$defs"].clone(),
            literals,
            names,
        }
    }

    /// A valid message, reduced to the member under test. What is only a part of a message is drawn
    /// into one.
    pub(super) fn draw(
        &self,
        (member, _, name): &(&str, &str, &str),
        dice: &mut Dice,
        full: bool,
    ) -> Value {
        let mut drawn = self.value(&self.definitions[*name], dice, full);
        match *member {
            "result" if name.ends_with("Schema") => {
                // The kinds of field overlap, so one may carry the members of another.
                let other = &self.definitions["PrimitiveSchemaDefinition"];
                let other = self.value(other, dice, full);
                if other["type"] == drawn["type"] {
                    fill(&mut drawn, other);
                }
                asking(&form(&drawn))
            }
            "result" if name.ends_with("Content") => asking(&sampling(&drawn)),
            "result" if name.ends_with("Request") => asking(&drawn),
            "result" => {
                let asks = *name == "InputRequiredResult";
                drawn["resultType"] = json!(if asks { "input_required" } else { "complete" });
                json!({"result": drawn})
            }
            "params" if drawn.get("params").is_none() => json!({}),
            member => json!({member: drawn[member]}),
        }
    }

    /// A value that a definition allows; a full one has all its members.
    fn value(&self, schema: &Value, dice: &mut Dice, full: bool) -> Value {
        if let Some(target) = schema["$ref"].as_str() {
            let name = target.trim_start_matches("#/$defs/");
            return self.value(&self.definitions[name], dice, full);
        }
        if let Some(literal) = schema.get("const") {
            return literal.clone();
        }
        if let Some(choices) = schema["enum"].as_array() {
            return dice.pick(choices).clone();
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return self.value(dice.pick(choices), dice, full);
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let mut whole = json!({});
            for part in parts {
                let part = self.value(part, dice, full);
                for (name, value) in part.as_object().into_iter().flatten() {
                    whole[name] = value.clone();
                }
            }
            return whole;
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => dice.pick(kinds),
            kind => kind,
        };
        match kind.as_str() {
            Some("object") => self.object(schema, dice, full),
            Some("array") => {
                let length = if full {
                    1 + dice.below(2)
                } else {
                    dice.below(3)
                };
                (0..length)
                    .map(|_| self.value(&schema["items"], dice, full))
                    .collect()
            }
            Some("string") => dice
                .pick(&[json!("text"), json!(""), json!("a:b/ü")])
                .clone(),
            Some("integer") => dice.pick(&[json!(1), json!(0), json!(300_000.0)]).clone(),
            Some("number") => dice.pick(&[json!(1), json!(0), json!(0.25)]).clone(),
            Some("boolean") => json!(dice.below(2) == 0),
            _ => dice
                .pick(&[json!(null), json!(1.5), json!({"a": [null]})])
                .clone(),
        }
    }

    fn object(&self, schema: &Value, dice: &mut Dice, full: bool) -> Value {
        let mut object = json!({});
        let required = schema["required"].as_array();
        let is_required = |name: &str| required.is_some_and(|all| all.contains(&json!(name)));
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            if full || is_required(name) || dice.below(2) == 0 {
                object[name] = self.value(member, dice, full);
            }
        }
        if let Some(member) = schema.get("additionalProperties") {
            for name in ["a", "b/c~d"].iter().take(2 - dice.below(2)) {
                object[*name] = self.value(member, dice, full);
            }
        }
        object
    }

    /// Breaks a message, or only stretches it, at a place chosen by chance.
    pub(super) fn break_somewhere(&self, message: &mut Value, dice: &mut Dice) {
        let places = places(message);
        if places.is_empty() {
            return;
        }
        let place = dice.pick(&places);
        let elsewhere: &String = dice.pick(&places);
        let other = message.pointer(elsewhere).cloned().unwrap_or_default();
        let odd = dice.pick(&odd_values()).clone();
        let value = match dice.below(4) {
            0 => odd,
            1 => dice.pick(&self.literals).clone(),
            2 => other,
            _ => return remove(message, place),
        };
        match message.pointer_mut(place) {
            Some(Value::Object(members)) if dice.below(2) == 0 => {
                members.insert(dice.pick(&self.names).clone(), value);
            }
            Some(Value::Array(items)) if dice.below(2) == 0 => items.push(value),
            Some(Value::Number(number)) if dice.below(2) == 0 => {
                let moved = number.as_f64().unwrap_or_default() + 0.5;
                *message.pointer_mut(place).expect("just seen") = json!(moved);
            }
            Some(there) => *there = value,
            None => {}
        }
    }
}

/// Adds the members of another object that are not there yet, all the way down.
fn fill(object: &mut Value, other: Value) {
    let (Value::Object(members), Value::Object(others)) = (object, other) else {
        return;
    };
    for (name, value) in others {
        match members.get_mut(&name) {
            Some(there) => fill(there, value),
            None => drop(members.insert(name, value)),
        }
    }
}

fn asking(question: &Value) -> Value {
    json!({"result": {"resultType": "input_required", "inputRequests": {"q": question}}})
}

/// A question whose form has one field.
fn form(field: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"f": field}});
    json!({"method": "elicitation/create", "params": {"message": "", "requestedSchema": schema}})
}

/// A question whose only message has one block.
fn sampling(block: &Value) -> Value {
    let messages = json!([{"role": "user", "content": block}]);
    json!({"method": "sampling/createMessage", "params": {"maxTokens": 1, "messages": messages}})
}

/// Tries at every place each odd value, an overlong array, and nothing at all.
pub(super) fn break_every_place(message: &Value, mut compare: impl FnMut(&Value) -> bool) {
    for place in places(message) {
        let there = message.pointer(&place).cloned().unwrap_or_default();
        let long = there
            .as_array()
            .and_then(|items| items.first())
            .map(|item| vec![item; 101]);
        for value in odd_values()
            .into_iter()
            .chain(long.map(|items| json!(items)))
        {
            let mut broken = message.clone();
            *broken.pointer_mut(&place).expect("a place of the message") = value;
            compare(&broken);
        }
        let mut broken = message.clone();
        remove(&mut broken, &place);
        compare(&broken);
    }
}

/// One value of each kind, and the numbers on which readers of JSON Schema differ.
fn odd_values() -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!("x"),
        json!([]),
        json!({}),
        json!([{}]),
    ];
    values.extend([-0.0, -1.0, 1.5, 7.0, 1e300].map(Value::from));
    values.extend([
        json!(-1),
        json!(5),
        json!(u64::MAX),
        json!(-32021),
        json!(-32022.0),
    ]);
    values
}

/// Pointers to everything inside the member under test, itself included.
fn places(message: &Value) -> Vec<String> {
    let mut places = vec![String::new()];
    let mut next = 0;
    while let Some(place) = places.get(next).cloned() {
        match message.pointer(&place) {
            Some(Value::Object(members)) => places.extend(
                members
                    .keys()
                    .map(|name| format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))),
            ),
            Some(Value::Array(items)) => {
                places.extend((0..items.len().min(8)).map(|index| format!("{place}/{index}")));
            }
            _ => {}
        }
        next += 1;
    }
    places.split_off(1)
}

/// Takes a place away; a result or an error as a whole stays, since its absence is no shape.
fn remove(message: &mut Value, place: &str) {
    if matches!(place, "/result" | "/error") {
        return;
    }
    let (parent, name) = place.rsplit_once('/').unwrap_or_default();
    let name = name.replace("~1", "/").replace("~0", "~");
    match message.pointer_mut(parent) {
        Some(Value::Object(members)) => drop(members.shift_remove(&name)),
        Some(Value::Array(items)) => drop(name.parse().map(|index: usize| items.remove(index))),
        _ => {}
    }
}

/// The literals and the member names that occur in a schema.
fn collect(schema: &Value, literals: &mut Vec<Value>, names: &mut Vec<String>) {
    literals.extend(schema.get("const").cloned());
    literals.extend(schema["enum"].as_array().into_iter().flatten().cloned());
    names.extend(
        schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone()),
    );
    match schema {
        Value::Object(members) => {
            members
                .values()
                .for_each(|member| collect(member, literals, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, literals, names)),
        _ => {}
    }
}

/// Chance that is the same in every run (`SplitMix64`).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or_default() % end
    }

    fn pick<'v, T>(&mut self, choices: &'v [T]) -> &'v T {
        &choices[self.below(choices.len())]
    }
}

//! What a person does not see and a model obeys: hidden characters, and orders in place of descriptions.

use super::texts::each;
use crate::check::Check;
use crate::context::Context;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::advisory("surface.hidden-text", "Names and descriptions hold no characters that cannot be seen")
        .spec("tools#security-considerations")
        .why("Who reviews the tool does not see what the model reads; it is how orders are smuggled in.")
        .fix("Take control, zero-width, direction and tag characters out of the text.")
        .judge(|cx: &Context| each(cx, "nothing is hidden", hidden)),
    Check::advisory("surface.instructions", "Descriptions describe and give the model no orders against its user")
        .spec("tools#security-considerations")
        .why("A description that tells the model to keep things from its user, or to pass on files, is an attack; clients block servers for it.")
        .fix("Say what the tool does. Leave to the client how it is used.")
        .judge(|cx: &Context| each(cx, "no orders were found", orders)),
];

/// What is hidden in a text, in words.
pub(super) fn hidden(text: &str) -> Option<String> {
    let right_to_left = |letter: &char| matches!(letter, '\u{0590}'..='\u{08ff}');
    let mut before = ' ';
    let mut flag = false;
    for letter in text.chars() {
        // Tags follow a black flag to name a region.
        flag = letter == '\u{1f3f4}' || flag && ('\u{e0020}'..='\u{e007f}').contains(&letter);
        let odd = match letter {
            '\t' | '\n' | '\r' => false,
            // Joiners are part of emoji and of several scripts, marks of those that run from right to left.
            '\u{200c}' | '\u{200d}' => before.is_ascii(),
            '\u{200e}' | '\u{200f}' | '\u{061c}' => !text.chars().any(|one| right_to_left(&one)),
            '\u{e0000}'..='\u{e007f}' => !flag,
            '\u{180e}'
            | '\u{200b}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' => true,
            _ => letter.is_control(),
        };
        if odd {
            return Some(format!(
                "the text holds U+{:04X}, which is not seen",
                u32::from(letter)
            ));
        }
        before = letter;
    }
    None
}

/// Phrases of attacks that were published; what honest descriptions say is not among them.
const ORDERS: [&str; 22] = [
    "ignore previous instructions",
    "ignore all previous",
    "ignore all prior",
    "ignore prior instructions",
    "disregard previous",
    "disregard all previous",
    "do not tell the user",
    "don't tell the user",
    "do not inform the user",
    "do not mention this to the user",
    "do not mention to the user",
    "without telling the user",
    "without informing the user",
    "hide this from the user",
    "never reveal to the user",
    "<important>",
    "<system>",
    "<|im_start|>",
    "[inst]",
    "~/.ssh/",
    "id_rsa",
    ".aws/credentials",
];

/// What orders a text gives, in words.
pub(super) fn orders(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase().replace('\u{2019}', "'");
    let found = ORDERS.iter().find(|order| text.contains(**order))?;
    Some(format!(
        "the text holds \"{found}\", as published attacks on models do"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shows;

    #[test]
    fn poison_is_found() {
        shows(&[
            ("description-hidden", "surface.hidden-text", "warn"),
            ("description-orders", "surface.instructions", "warn"),
        ]);
    }

    #[test]
    fn ordinary_writing_hides_nothing() {
        for text in [
            "a\tb\nc",
            "\u{1f469}\u{200d}\u{1f4bb} pair",
            "می\u{200c}خواهم",
            "שלום\u{200f}",
            "\u{1f3f4}\u{e0067}\u{e007f}",
        ] {
            assert_eq!(hidden(text), None, "{text}");
        }
        for text in [
            "a\u{200b}b",
            "a\u{200d}b",
            "x\u{202e}y",
            "z\u{e0041}",
            "a\u{7}",
            "a\u{200f}b",
        ] {
            assert!(hidden(text).is_some(), "{}", text.escape_unicode());
        }
        assert_eq!(
            orders("Call this before any other tool. Do not use for users."),
            None
        );
        assert!(orders("Do  NOT tell\nthe user about it").is_some());
    }
}

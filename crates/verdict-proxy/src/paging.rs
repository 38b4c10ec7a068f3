//! A list of the server's cut into pages with cursors of ours.

use crate::action::Pages;
use crate::asked::Asked;
use serde_json::{Map, Value};

/// The member of a list's result that holds the items.
fn items_of(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/list" => "tools",
        "resources/list" => "resources",
        "resources/templates/list" => "resourceTemplates",
        "prompts/list" => "prompts",
        _ => return None,
    })
}

/// Which page a request asks for, from 0; none where its cursor is not one of ours.
fn page_of(pages: &Pages, asked: &Asked) -> Option<usize> {
    match asked.param("cursor") {
        None => Some(0),
        Some(cursor) => {
            let cursor = cursor.as_str()?;
            let at = pages.cursors.iter().position(|one| one == cursor)?;
            Some(at + 1)
        }
    }
}

/// The request as the server is to get it: without a cursor of ours. Absent where it stays as it is.
pub fn without_cursor(pages: &Pages, asked: &Asked) -> Option<Value> {
    page_of(pages, asked).filter(|page| *page > 0)?;
    let mut message = asked.message.clone()?;
    message
        .get_mut("params")?
        .as_object_mut()?
        .shift_remove("cursor");
    Some(message)
}

/// Cuts the page that was asked for out of a result.
pub(crate) fn cut(pages: &Pages, result: &mut Map<String, Value>, asked: &Asked) -> bool {
    let page = page_of(pages, asked);
    let key = asked.method().and_then(items_of);
    let (Some(page), Some(key)) = (page, key) else {
        return false;
    };
    let Some(Value::Array(items)) = result.get_mut(key) else {
        return false;
    };
    let size = pages.size.max(1);
    let begin = page.saturating_mul(size).min(items.len());
    let mut rest = items.split_off(begin);
    // Where the cursors run out, the last page has all the rest.
    let cursor = pages.cursors.get(page).filter(|_| rest.len() > size);
    if let Some(cursor) = cursor {
        rest.truncate(size);
        result.insert("nextCursor".into(), cursor.clone().into());
    }
    result.insert(key.into(), rest.into());
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_pages_together_are_the_list() {
        let pages = Pages {
            size: 2,
            cursors: vec![" x ".to_owned(), String::new()],
        };
        let all: Vec<Value> = (0..7).map(|n| json!({ "name": n.to_string() })).collect();
        let (mut cursor, mut got, mut sizes) = (None::<String>, vec![], vec![]);
        loop {
            let params = match &cursor {
                Some(cursor) => json!({"cursor": cursor, "_meta": {}}),
                None => json!({"_meta": {}}),
            };
            let line = json!({"id": 1, "method": "tools/list", "params": params}).to_string();
            let asked = Asked::on_line(line.as_bytes());
            let sent = without_cursor(&pages, &asked);
            assert_eq!(sent.is_some(), cursor.is_some());
            if let Some(sent) = sent {
                assert_eq!(sent["params"], json!({"_meta": {}}));
            }
            let mut result = Map::from_iter([("tools".to_owned(), Value::from(all.clone()))]);
            assert!(cut(&pages, &mut result, &asked));
            let page = result["tools"].as_array().unwrap();
            sizes.push(page.len());
            got.extend(page.clone());
            match result.get("nextCursor") {
                Some(next) => cursor = Some(next.as_str().unwrap().to_owned()),
                None => break,
            }
        }
        assert_eq!((got, sizes), (all, vec![2, 2, 3]));
    }

    #[test]
    fn a_cursor_that_is_not_ours_goes_to_the_server() {
        let pages = Pages {
            size: 1,
            cursors: vec!["a".to_owned()],
        };
        let asked =
            Asked::on_line(br#"{"id":1,"method":"tools/list","params":{"cursor":"theirs"}}"#);
        assert_eq!(without_cursor(&pages, &asked), None);
    }
}

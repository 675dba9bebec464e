use super::*;
use crate::error::Failure;
use near_sdk::serde_json::{self, Value};
use proptest::prelude::*;

fn to_value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(digits) => serde_json::from_str(digits).unwrap(),
        Json::Text(text) => Value::String(text.to_string()),
        Json::List(items) => Value::Array(items.iter().map(to_value).collect()),
        Json::Object(object) => Value::Object(
            object
                .fields
                .iter()
                .map(|(name, value)| (name.to_string(), to_value(value)))
                .collect(),
        ),
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[ -~\\n\\t\\\\\"]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_serde_json_writes_is_read(value in prop::collection::btree_map(any::<String>(), values(), 0..5), pretty: bool) {
        let value = Value::Object(value.into_iter().collect());
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let read = Object::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(to_value(&Json::Object(read)), value);
    }

    #[test]
    fn what_serde_json_refuses_is_refused(text in "[\\[\\]{}\",:0-9a-eE.+\\\\ntrufl -]{0,24}") {
        let text = ["{\"a\":", &text, "}"].concat();
        let theirs = serde_json::from_str::<Value>(&text).ok();
        match Object::parse(text.as_bytes()) {
            // Numbers out of serde_json's range are text here.
            Ok(ours) if theirs.is_some() => prop_assert_eq!(to_value(&Json::Object(ours)), theirs.unwrap()),
            Ok(_) => prop_assert!(text.contains(['e', 'E']), "{}", text),
            Err(_) => prop_assert!(theirs.is_none(), "{}", text),
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = Object::parse(&bytes);
    }

    #[test]
    fn what_is_written_is_what_serde_json_reads(text in any::<String>(), number: u64, amount: u128, flag: bool) {
        let mut writer = Writer::default();
        writer.open('{').key("a").text(&text).key("b").open('[').number(number).bool(flag).raw("null").close(']');
        writer.key("c").amount(amount).key("d").open('{').close('}').close('}');
        let expected = serde_json::json!({"a": text, "b": [number, flag, null], "c": amount.to_string(), "d": {}});
        let written = writer.into_string();
        prop_assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), expected, "{}", written);
    }
}

#[test]
fn fields_are_named_in_failures() {
    let mut args = Object::parse(br#"{"limit":"5","memo":null,"id":4294967296}"#).unwrap();
    let text = |failure: Failure| failure.text();
    assert_eq!(
        args.required::<u32>("limit").map_err(text),
        Err("E_INVALID_ARGUMENT: limit has to be a whole number up to 4294967295.".into())
    );
    assert_eq!(args.field::<String>("memo"), Ok(Some(None)));
    assert_eq!(
        args.required::<String>("msg").map_err(text),
        Err("E_INVALID_ARGUMENT: msg is missing.".into())
    );
    assert!(args.clone().required::<u32>("id").is_err());
    assert_eq!(
        args.finish().map_err(text),
        Err("E_INVALID_ARGUMENT: id is not a field of this call.".into())
    );
}

#[test]
fn deep_nesting_is_refused() {
    let deep = ["{\"a\":", &"[".repeat(5_000), &"]".repeat(5_000), "}"].concat();
    assert!(Object::parse(deep.as_bytes()).is_err());
}

#[test]
fn an_object_has_at_most_128_fields() {
    let object = |count: usize| {
        let fields: Vec<String> = (0..count).map(|n| format!("\"f{n}\":{n}")).collect();
        format!("{{{}}}", fields.join(","))
    };
    assert!(Object::parse(object(128).as_bytes()).is_ok());
    assert!(Object::parse(object(129).as_bytes()).is_err());
    let nested = |count| format!("{{\"a\":[1,{{\"b\":{}}}]}}", object(count));
    assert!(Object::parse(nested(128).as_bytes()).is_ok());
    assert!(Object::parse(nested(129).as_bytes()).is_err());
}

#[test]
fn a_field_that_comes_twice_is_refused() {
    let text = |failure: Failure| failure.text();
    for twice in [r#"{"a":1,"b":2,"a":1}"#, r#"{"a":1,"\u0061":null}"#] {
        let mut args = Object::parse(twice.as_bytes()).unwrap();
        assert_eq!(
            args.optional::<u64>("a").map_err(text),
            Err("E_INVALID_ARGUMENT: a comes twice.".into())
        );
    }
    let shares = |text: &str| {
        let mut args = Object::parse(text.as_bytes()).unwrap();
        args.required::<Vec<(String, u64)>>("shares")
    };
    assert!(shares(r#"{"shares":{"a.near":1,"b.near":1}}"#).is_ok());
    assert!(shares(r#"{"shares":{"a.near":1,"b.near":1,"a.near":1}}"#).is_err());
    assert!(shares(&format!("{{\"shares\":{{\"{}\":1}}}}", "a".repeat(65))).is_err());
}

import LatticeControl
import LatticeWire
import Testing

/// Paths into states, and what differs between two states.
@Suite struct ValueDifferenceTests {
    static let state: DescriptionValue = [
        "todos": [["title": "Milk", "done": false], ["title": "Bread"]], "files": ["a.txt": ["size": 12]], "": 1,
    ]

    static let paths: [(text: String, value: DescriptionValue?)] = [
        ("", state), ("todos[0].title", "Milk"), ("todos[1]", ["title": "Bread"]), ("files[\"a.txt\"].size", 12),
        ("[\"\"]", 1), ("todos[2]", nil), ("todos.title", nil), ("files[0]", nil), ("missing", nil),
    ]

    @Test("A path leads to a part of a state, and its text is read again", arguments: paths)
    func path(text: String, value: DescriptionValue?) throws {
        let path = try #require(ValuePath(text))
        #expect(path.value(in: Self.state) == value)
        #expect(path.description == text)
    }

    @Test(
        "What is no path is refused",
        arguments: [".a", "a..b", "a.", "a[", "a[]", "a[-1]", "a[1", "a[\"b]", "a[\"b\"", "a[x]", "a[1]b", "[\"a\"x]"]
    )
    func noPath(text: String) { #expect(ValuePath(text) == nil) }

    static let differences: [(old: DescriptionValue, new: DescriptionValue, lines: [String])] = [
        (1, 1, []), (1, 2, ["state: 1 → 2"]), (["a": 1], ["a": "x"], ["a: 1 → \"x\""]),
        (["a": 1], ["b": [1, 2]], ["a removed: 1", "b added: [1,2]"]),
        (["t": [["n": "a"], ["n": "b"]]], ["t": [["n": "a"], ["n": "c"]]], ["t[1].n: \"b\" → \"c\""]),
        ([1, 2, 3], [0, 1, 2, 3], ["[0] added: 0"]), ([1, 2, 3], [1, 3], ["[1] removed: 2"]),
        ([1, 2, 3, 4], [1, 9, 8, 7, 4], ["[1]: 2 → 9", "[2]: 3 → 8", "[3] added: 7"]),
        ([1, 1], [1], ["[1] removed: 1"]), ([:], [], ["state: {} → []"]),
        (["a b": "x\u{1b}"], ["a b": nil], ["[\"a b\"]: \"x\\u001b\" → null"]),
        (
            .array((0..<9).map { .init($0) }), .array((10..<19).map { .init($0) }),
            ["[0]: 0 → 10", "[1]: 1 → 11", "[2]: 2 → 12", "and 6 more"]
        ),
    ]

    @Test("Each place that differs has a line, up to the maximum", arguments: differences)
    func lines(old: DescriptionValue, new: DescriptionValue, lines: [String]) {
        let maximum = lines.last?.hasPrefix("and ") == true ? lines.count - 1 : 20
        let (old, new) = (FeatureState(revision: 1, value: old), FeatureState(revision: 2, value: new))
        #expect(new.changes(since: old, maximumLines: maximum) == lines)
    }

    @Test("Only the part at the path is compared")
    func part() throws {
        let old = FeatureState(revision: 1, value: ["a": ["b": 1], "c": 1])
        let new = FeatureState(revision: 2, value: ["a": ["b": 2], "c": 2])
        #expect(new.changes(since: old, at: try #require(ValuePath("a"))) == ["a.b: 1 → 2"])
        #expect(new.changes(since: old, at: try #require(ValuePath("x"))).isEmpty)
    }
}

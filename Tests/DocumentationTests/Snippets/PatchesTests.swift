import Lattice
import Testing

/// The blocks of Patches.md.
@Suite struct PatchesTests {
    @Patchable
    struct Library: Sendable {
        let name: String
        var books: StateDictionary<String, Book> = [:]
        var scan = Scan.idle
    }

    @Patchable
    struct Book: Sendable {
        var pages = 0
        var words: StateDictionary<String, Int> = [:]
    }

    @Patchable
    enum Scan: Sendable {
        case idle
        case running(path: String, done: Int)
    }

    @ObservableState
    struct Shelf: Patchable, Sendable {
        var title = ""
        var books: StateDictionary<String, Int> = [:]
    }

    struct Note: Patchable, Sendable {
        var text = ""
        var tags: [String] = []

        func encodePatch(from old: Note, to patch: inout PatchEncoder) throws {
            try patch.field("text", from: old.text, to: text)
            try patch.field("tags", from: old.tags, to: tags)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "text": try patch.apply(to: &text)
                case "tags": try patch.apply(to: &tags)
                default: throw patch.unknownField(name)
                }
            }
        }
    }

    struct Reading: Codable, Equatable {
        var sensor = ""
        var isFresh = false

        static func == (one: Reading, other: Reading) -> Bool { one.sensor == other.sensor }
    }

    @Test func aPartThatEqualityLeavesOut() throws {
        var next = ["a": Reading(sensor: "attic")]
        let last = next
        next["a"]?.isFresh = true
        #expect(next == last)
        #expect(try next.patch(from: last) != nil)
    }

    @Test func aChangeOfALargeState() throws {
        var library = Library(name: "town")
        library.books = StateDictionary((0..<100_000).map { ("book \($0)", Book(pages: $0)) })
        library.books["Emma"] = Book(pages: 400)
        var next = library
        next.books["Emma"]?.pages += 1
        let patch = try #require(try next.patch(from: library))
        #expect(patch.bytes.count < 40)
        try library.apply(patch)
        #expect(library == next)
    }

    @Test func byHandAndObserved() throws {
        let (old, new) = (Note(text: "a", tags: ["x"]), Note(text: "a", tags: ["x", "y"]))
        var note = old
        try note.apply(try #require(try new.patch(from: old)))
        #expect(note == new)
        let shelf = Shelf(title: "a", books: ["Emma": 400])
        var shown = shelf
        shown.title = "b"
        var changed = shelf
        try changed.apply(try #require(try shown.patch(from: shelf)))
        #expect(changed == shown)
    }
}

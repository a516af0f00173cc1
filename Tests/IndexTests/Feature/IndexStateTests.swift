import LatticeCore
import Testing

@testable import IndexProgram

@Suite struct IndexStateTests {
    private func file(_ words: (String, Int)..., modified: Int = 0) -> IndexedFile {
        var packed = PackedWords()
        for (word, count) in words { packed.append(Array(word.utf8), count: count) }
        return IndexedFile(stamp: FileStamp(size: 0, modified: [modified, 0]), words: packed)
    }

    private func counts(_ state: IndexState, _ terminal: String = "1") -> [String: Int] {
        Dictionary(uniqueKeysWithValues: Array(state.answers[terminal]?.counts ?? [:]).map { ($0.key, $0.value) })
    }

    @Test func anAnswerGrowsWithTheIndex() {
        var state = IndexState()
        state.search(for: "word", by: "1")
        #expect(counts(state) == [:])
        state.add(["a": file(("word", 2)), "b": file(("other", 1))])
        #expect(counts(state) == ["a": 2])
        state.add(["c": file(("word", 1))])
        #expect(counts(state) == ["a": 2, "c": 1])
        // A file has changed, and another one is gone.
        state.add(["a": file(("other", 1), modified: 1)])
        state.remove(["c"])
        #expect(counts(state) == [:])
    }

    @Test func eachTerminalHasAnAnswerOfItsOwn() {
        var state = IndexState()
        state.add(["a": file(("one", 1)), "b": file(("two", 2))])
        state.search(for: "one", by: "1")
        state.search(for: "two", by: "2")
        #expect(counts(state, "1") == ["a": 1])
        #expect(counts(state, "2") == ["b": 2])
        state.search(for: "two", by: "1")
        #expect(counts(state, "1") == ["b": 2])
        state.search(for: nil, by: "1")
        #expect(Array(state.answers.keys) == ["2"])
    }

    @Test func searchesHaveALimit() {
        var state = IndexState()
        for number in 0...IndexState.maximumSearches { state.search(for: "word", by: "\(number)") }
        #expect(state.answers.count == IndexState.maximumSearches)
        // Those that are there go on.
        state.search(for: "other", by: "0")
        #expect(state.answers["0"]?.word == "other")
        state.search(for: "no word", by: "0")
        #expect(state.answers["0"] == nil)
    }

    @Test func whatDoesNotFitIsCounted() {
        var large = PackedWords()
        large.append([UInt8](repeating: 0x61, count: IndexState.capacity / 2 + 1), count: 1)
        let file = IndexedFile(stamp: FileStamp(size: 0, modified: [0, 0]), words: large)
        var state = IndexState()
        state.add(["a": file])
        state.add(["b": file])
        #expect(state.files.count == 1)
        #expect(state.leftOut == 1)
        // One that is read again is in its own place.
        state.add(["a": file])
        #expect(state.leftOut == 1)
        state.remove(["a"])
        #expect(state.wordBytes == 0)
    }

    @Test func aPatchMakesTheSameState() throws {
        var old = IndexState()
        old.add(["a": file(("word", 2)), "b": file(("word", 1))])
        var new = old
        new.search(for: "word", by: "1")
        new.add(["c": file(("word", 1))])
        new.remove(["b"])
        new.found = 3
        new.reading = .done
        let patch = try #require(try new.patch(from: old))
        try old.apply(patch)
        #expect(old == new)
        #expect(counts(old) == ["a": 2, "c": 1])
    }
}

import ExampleSupport
import LatticeCore
import Testing

@testable import IndexProgram

@Suite struct IndexStateTests {
    private func file(_ words: (String, Int)..., modified: Int = 0) -> IndexedFile {
        var packed = PackedWords()
        for (word, count) in words { packed.append(Array(word.utf8), count: count) }
        return IndexedFile(stamp: FileStamp(size: 0, modified: [modified, 0]), words: packed)
    }

    private func counts(_ state: IndexState, of word: String = "word") -> [String: Int] {
        let answer = IndexFeature.answer(word, from: state, in: HostContext())
        #expect(answer.word == word)
        return Dictionary(uniqueKeysWithValues: answer.counts.map { ($0.key.rawValue, $0.value) })
    }

    private let a = PathKey([0x61])
    private let b = PathKey([0x62])
    private let c = PathKey([0x63])

    @Test func anAnswerIsThatOfThePresentFiles() {
        var state = IndexState()
        #expect(counts(state) == [:])
        state.add([a: file(("word", 2)), b: file(("other", 1))])
        #expect(counts(state) == ["a": 2])
        state.add([c: file(("word", 1))])
        #expect(counts(state) == ["a": 2, "c": 1])
        #expect(counts(state, of: "other") == ["b": 1])
        // A file has changed, and another one is gone.
        state.add([a: file(("other", 1), modified: 1)])
        state.remove([c])
        #expect(counts(state) == [:])
        #expect(counts(state, of: "other") == ["a": 1, "b": 1])
    }

    @Test func filesThatDoNotFitAreCounted() {
        var large = PackedWords()
        large.append([UInt8](repeating: 0x61, count: IndexState.capacity / 2 + 1), count: 1)
        let file = IndexedFile(stamp: FileStamp(size: 0, modified: [0, 0]), words: large)
        var state = IndexState()
        state.add([a: file])
        state.add([b: file])
        #expect(state.files.count == 1)
        #expect(state.leftOut == 1)
        // A file that is read again keeps its place.
        state.add([a: file])
        #expect(state.leftOut == 1)
        state.remove([a])
        #expect(state.wordBytes == 0)
    }

    @Test func aPatchMakesTheSameState() throws {
        var old = IndexState()
        old.add([a: file(("word", 2)), b: file(("word", 1))])
        var new = old
        new.add([c: file(("word", 1))])
        new.remove([b])
        new.found = 3
        new.reading = .done
        let patch = try #require(try new.patch(from: old))
        try old.apply(patch)
        #expect(old == new)
        #expect(counts(old) == ["a": 2, "c": 1])
    }
}

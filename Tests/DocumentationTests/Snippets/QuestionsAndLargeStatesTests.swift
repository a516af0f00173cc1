import Lattice
import Testing

/// The blocks of QuestionsAndLargeStates.md that are not in NotesFeature.swift.
@MainActor @Suite(.timeLimit(.minutes(10))) struct QuestionsAndLargeStatesTests {
    @Test func aQuestionIsAnsweredFromTheIndex() async throws {
        var context = HostContext()
        context[WordsKey.self] = { $0.lowercased().split(separator: " ") }
        let notes = ViewModel(inProcess: Notes.self, in: context)
        for note in ["Buy milk", "milk the cow"] { await notes.sendViewEvent(.add(note)).finish() }
        let found = try await notes.ask("milk", deadline: .now + .seconds(60))
        #expect(found == ["Buy milk", "milk the cow"])
    }

    @Test func anEmptyIndexIsFilledAgain() {
        let context = HostContext()
        #expect(Notes.started(context, in: Notes.DomainState()) == nil)
        #expect(Notes.started(context, in: Notes.DomainState(notes: ["a"])) == .buildIndex)
    }
}

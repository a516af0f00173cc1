import LatticeCore
import Testing

/// The block of README.md that needs no other process. `ReadmeProgram.swift` is the block that starts a worker.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ReadmeTests {
    @Test func inOneProcess() async {
        var printed: [String] = []
        func print(_ item: String) { printed.append(item) }

        let counter = ViewModel(inProcess: Counter.self)
        await counter.sendViewEvent(.add(2)).finish()
        print(counter.viewState)  // sum 2

        #expect(printed == ["sum 2"])
    }
}

import Testing

@testable import TodosProgram

@MainActor @Suite struct CommandQueueTests {
    @Test("A program that ends names the commands that are not done, including unread ones")
    func undoneCommandsAreNamed() {
        let commands = CommandQueue()
        commands.add("add a\nadd b\n\nadd \u{1b}c\nadd".utf8)
        #expect(commands.next() == "add a")
        commands.begin("add a")
        commands.done()
        #expect(commands.next() == "add b")
        commands.begin("add b")
        #expect(
            commands.sentences(rest: " d\ntoggle 1".utf8) == [
                "it is not known whether this was done: add b", "not done: add c", "not done: add d",
                "not done: toggle 1",
            ]
        )
    }

    @Test("No commands are named if all are done, and beyond a limit only their number is given")
    func bounds() {
        let commands = CommandQueue()
        #expect(commands.sentences(rest: "".utf8) == [])
        let sentences = commands.sentences(rest: (1...22).map { "add \($0)\n" }.joined().utf8)
        #expect(sentences.count == 21)
        #expect(sentences.last == "and 2 more commands are not done")
    }
}

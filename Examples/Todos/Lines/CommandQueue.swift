import ExampleSupport

/// The lines that were read where there is no terminal, and which of them are done.
///
/// It knows what to say of the rest if the program ends before all are done, such as by a signal.
@MainActor final class CommandQueue {
    /// How many commands that are not done are named.
    private static let maximumNamed = 20

    private var splitter = LineSplitter()
    private var waiting: [String] = []
    /// The command that was sent and has not ended.
    private var sent: String?

    nonisolated init() {}

    /// Adds the lines that are complete with these bytes.
    func add(_ bytes: some Sequence<UInt8>) { waiting += splitter.feed(bytes) }

    /// Adds what came behind the last line: nothing more is to come.
    func end() { if let line = splitter.end() { waiting.append(line) } }

    /// Takes the oldest line.
    func next() -> String? { waiting.isEmpty ? nil : waiting.removeFirst() }

    func begin(_ line: String) { sent = line }
    func done() { sent = nil }

    /// Says which commands are not done, if the program ends now. Empty lines are no commands.
    ///
    /// - Parameter rest: What has come and was not read.
    func sentences(rest: some Sequence<UInt8>) -> [String] {
        add(rest)
        end()
        let unknown = sent.map { ["it is not known whether this was done: \(shown($0))"] } ?? []
        let undone = waiting.filter { !$0.allSatisfy(\.isWhitespace) }
        let more = undone.count - Self.maximumNamed
        return unknown + undone.prefix(Self.maximumNamed).map { "not done: \(shown($0))" }
            + (more > 0 ? ["and \(more) more \(more == 1 ? "command is" : "commands are") not done"] : [])
    }

    /// A line as it can be written to a terminal.
    private func shown(_ line: String) -> String { Todo.title(from: line) ?? "" }
}

import ExampleSupport

/// The lines that were read without a terminal, and their progress.
///
/// If the program ends before all commands are done, for example because of a signal, it reports the others.
@MainActor final class CommandQueue {
    /// The maximum number of undone commands that are named.
    private static let maximumNamed = 20

    private var splitter = LineSplitter()
    private var waiting: [String] = []
    /// The command that was sent and has not ended.
    private var sent: String?

    nonisolated init() {}

    /// Adds bytes. The lines that are complete now become commands.
    func add(_ bytes: some Sequence<UInt8>) { waiting += splitter.feed(bytes) }

    /// Adds the text after the last line feed as a command. No more input follows.
    func end() { if let line = splitter.end() { waiting.append(line) } }

    /// Removes and returns the oldest line.
    func next() -> String? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Marks a line as the command that was sent.
    func begin(_ line: String) { sent = line }
    /// Marks the sent command as done.
    func done() { sent = nil }

    /// Returns sentences about the commands that are not done, if the program ends now. Empty lines are not commands.
    ///
    /// - Parameter rest: The input that has arrived and was not read.
    func sentences(rest: some Sequence<UInt8>) -> [String] {
        add(rest)
        end()
        let unknown = sent.map { ["it is not known whether this was done: \(shown($0))"] } ?? []
        let undone = waiting.filter { !$0.allSatisfy(\.isWhitespace) }
        let more = undone.count - Self.maximumNamed
        return unknown + undone.prefix(Self.maximumNamed).map { "not done: \(shown($0))" }
            + (more > 0 ? ["and \(more) more \(more == 1 ? "command is" : "commands are") not done"] : [])
    }

    /// Returns a line without control characters, which a terminal would obey.
    private func shown(_ line: String) -> String { Todo.title(from: line) ?? "" }
}

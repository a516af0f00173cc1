import ExampleSupport
import LatticeCore

/// The screen of a terminal, as lines that fit it.
struct Screen {
    static let help = "j/k move  space toggle  a add  d delete  c clear done  q quit"

    let lines: [String]

    /// - Parameters:
    ///   - view: The list.
    ///   - interface: The cursor and the text being typed.
    ///   - host: The status of the worker.
    ///   - place: A text beside the numbers, such as the socket.
    ///   - size: The size of the terminal.
    init(_ view: TodosViewState, _ interface: Interface, host: HostStatus, place: String, size: Terminal.Size) {
        let room = max(size.rows - 2, 1)
        let first = max(min(interface.cursor - room / 2, view.todos.count - room), 0)
        var lines = ["todos: \(view.summary)  \(Self.status(host) ?? place)"]
        for (index, todo) in view.todos.enumerated().dropFirst(first).prefix(room) {
            lines.append("\(index == interface.cursor ? ">" : " ") \(TodoText.box(todo)) \(todo.title)")
        }
        if view.todos.isEmpty { lines.append("  nothing to do; press a to add something") }
        let bottom = Self.bottom(interface, columns: size.columns)
        // The last line is kept even on a very low screen, because it shows the typed text.
        self.lines = (lines.prefix(max(size.rows - 1, 0)) + [bottom]).map { TextWidth.cut($0, to: size.columns) }
    }

    private static func bottom(_ interface: Interface, columns: Int) -> String {
        if case .adding(let title) = interface.mode {
            let label = "add: "
            // The end of the typed text has to be visible.
            return label + TextWidth.end(of: title, columns: columns - label.count - 1) + "_"
        }
        return interface.notice.isEmpty ? help : interface.notice
    }

    /// Returns the problem of the host, or nil if there is none.
    private static func status(_ host: HostStatus) -> String? {
        switch host {
        case .local, .serving: nil
        case .connecting: "connecting"
        case .unresponsive: "the worker does not answer"
        case .restarting: "the worker is started again"
        case .draining: "the worker is stopping"
        case .failed: "the worker is gone"
        case .other(let other): other.sentence
        }
    }
}

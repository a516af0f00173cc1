import Dispatch
import Glibc
import LatticeConcurrency
import LatticeControl

/// The whole screen of the terminal, for a program that draws it again and again and reads single keys.
///
/// The terminal is restored at every end of the program except SIGKILL: by ``restore()``, and by SIGINT, SIGTERM,
/// SIGHUP and SIGQUIT. SIGTSTP restores it until the program continues.
final class TerminalScreen: @unchecked Sendable {
    // Unchecked, because `sources` is used on `queue` only. Everything else is constant or protected by a lock.

    /// What happens at the terminal.
    enum Event: Sendable {
        case keys([TopKey])
        /// The terminal has another size, or the program continues after it was suspended.
        case resized
        /// Nothing can be read any more.
        case closed
    }

    private struct Core {
        var original = termios()
        var isRaw = false
    }

    /// What happens at the terminal. If the program does not take the events, only the newest 64 are kept.
    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let core = Locked(Core())
    private let queue = DispatchQueue(label: "lattice-terminal")
    private var sources: [any DispatchSourceProtocol] = []

    /// A Boolean value that indicates whether the program reads from a terminal and writes to one.
    static var isAvailable: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    init() {
        (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(64))
    }

    /// Takes the screen.
    func begin() {
        // First, so that a signal that arrives between the two restores the terminal.
        let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]
        let signals = SignalSources.begin(numbers, on: queue) { [self] in handle($0) }
        let input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        input.setEventHandler { [self] in read() }
        queue.sync { sources = [input] + signals }
        input.activate()
        enter()
    }

    /// Gives the screen back as it was. It does nothing the second time.
    func restore() { restore(writing: Self.write) }

    private func restore(writing write: (String) -> Void) {
        let original = core.withLock { core -> termios? in
            guard core.isRaw else { return nil }
            core.isRaw = false
            return core.original
        }
        guard var original else { return }
        // The cursor is shown, and the screen that was there before comes back.
        write("\u{1b}[?25h\u{1b}[?1049l")
        tcsetattr(STDOUT_FILENO, TCSANOW, &original)
    }

    private func enter() {
        core.withLock { core in
            guard !core.isRaw, tcgetattr(STDOUT_FILENO, &core.original) == 0 else { return }
            var raw = core.original
            cfmakeraw(&raw)
            // Output keeps its line ends.
            raw.c_oflag = core.original.c_oflag
            tcsetattr(STDOUT_FILENO, TCSANOW, &raw)
            core.isRaw = true
        }
        Self.write("\u{1b}[?1049h\u{1b}[?25l")
    }

    private func handle(_ number: Int32) {
        switch number {
        case SIGWINCH: continuation.yield(.resized)
        case SIGTSTP:
            restore()
            kill(getpid(), SIGSTOP)
            // The program continues.
            enter()
            continuation.yield(.resized)
        default:
            restore(writing: Self.writeWithoutBlocking)
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            sources.first?.cancel()
            continuation.yield(.closed)
            return
        }
        continuation.yield(.keys(TopKey.keys(in: Array(bytes[..<count]))))
    }

    // MARK: Drawing

    /// The size of the terminal in characters.
    var size: TopScreen.Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TopScreen.Size(width: 80, height: 24)
        }
        return TopScreen.Size(width: Int(size.ws_col), height: Int(size.ws_row))
    }

    /// Draws lines from the top. What was below them is cleared.
    func draw(_ lines: [TopScreen.Line]) {
        let shown = lines.map { line in
            switch line.emphasis {
            case .none: line.text
            case .bold: Terminal.bold(line.text)
            case .reverse: Terminal.reversed(line.text)
            }
        }
        Self.write("\u{1b}[H" + shown.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n") + "\u{1b}[J")
    }

    /// Writes a text if the terminal takes it. A terminal that is stopped must not keep a signal from ending the
    /// program. The terminal is opened again for it, because other processes share the descriptor's blocking mode.
    private static func writeWithoutBlocking(_ text: String) {
        let terminal = open("/proc/self/fd/\(STDOUT_FILENO)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return }
        let bytes = Array(text.utf8)
        _ = Glibc.write(terminal, bytes, bytes.count)
        close(terminal)
    }

    private static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

import ArgumentParser
import LatticeControl
import LatticeToolSupport

/// `latticectl ps`.
struct PSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps",
        abstract: "Lists the coordinators of this user.",
        discussion: """
            Shows one line for each coordinator. Its state is running, silent if it does \
            not answer, refused if it may not be looked into, or old if it is built from \
            a version that cannot be described. Sockets of coordinators that were killed \
            are counted, and --all shows them as dead.

            Example: latticectl ps --json

            Exit codes: 0 success, 1 no coordinator runs, 64 wrong usage.
            """
    )

    @Option(help: "The path of a socket. Can be given more than once. (default: all sockets)")
    var socket: [String] = []

    @Option(help: "The seconds to wait for each coordinator.")
    var timeout: Double = 2

    @Flag(help: "Show dead sockets too.")
    var all = false

    @Flag(help: "Print one JSON object with all sockets.")
    var json = false

    func validate() throws { try CoordinatorSelection.validate(timeout: timeout) }

    func run() async throws {
        let paths = socket.isEmpty ? CoordinatorSockets.paths : socket
        let found = await RunningCoordinator.find(at: paths, timeout: .seconds(timeout))
        let living = found.filter { $0.state != .dead }
        if json {
            let page = SectionDescription(section: "ps", rows: found.map(\.row), total: found.count)
            Console.put(page.json)
        } else {
            show(living, dead: found.filter { $0.state == .dead })
        }
        if living.isEmpty { throw ExitCode(1) }
    }

    private func show(_ living: [RunningCoordinator], dead: [RunningCoordinator]) {
        // A socket that the user has named is always shown.
        let showsDead = all || !socket.isEmpty
        let shown = living + (showsDead ? dead : [])
        if !shown.isEmpty {
            let lines = RunningCoordinator.lines(of: shown, width: Terminal.width, heading: Terminal.bold)
            for line in lines { Console.put(line) }
        }
        if living.isEmpty { Console.say("latticectl ps: No coordinator of this user runs.") }
        if !showsDead, !dead.isEmpty {
            let sockets =
                dead.count == 1
                ? "1 socket of a coordinator that was" : "\(dead.count) sockets of coordinators that were"
            Console.say("\(sockets) killed: use --all to see more.")
        }
    }
}

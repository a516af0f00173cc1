import ArgumentParser
import LatticeConcurrency
import LatticeControl
import LatticeToolSupport

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows live what workers, instances, clients and groups of a coordinator do.",
        discussion: """
            Keys choose the table, the order, a filter and a row, and restart the worker of \
            a row; ? explains them. CPU% is of one core. EVENTS/S are the events that a \
            worker applied.

            Examples:
              latticectl top
              latticectl top --once --table instances --interval 5

            Exit codes: 0 success, 1 no such coordinator, no answer, or the coordinator has \
            ended, 2 the coordinator refused, 64 wrong usage.
            """
    )

    @OptionGroup var selection: CoordinatorSelection

    @Option(help: "The seconds between two looks, 0.1 to 3600.")
    var interval = 1.0

    @Option(
        help: "The table to begin with: workers, instances, clients or groups.",
        transform: { name in
            guard let table = TopTable(rawValue: name) else { throw ValidationError("There is no table \"\(name)\".") }
            return table
        }
    )
    var table = TopTable.workers

    @Flag(help: "Print all rows once, after one interval, and end.")
    var once = false

    /// The maximum number of rows of a table that are asked for, so that a look costs the coordinator little.
    private static let maximumRows = 500

    func validate() throws {
        guard 0.1...3600 ~= interval else { throw ValidationError("--interval has to be 0.1 to 3600.") }
        guard once || TerminalScreen.isAvailable else {
            throw ValidationError("top needs a terminal. Use --once to print its table.")
        }
    }

    func run() async throws {
        try await ControlFailure.reporting {
            let path = try await selection.path()
            try await withControlClient(connectingTo: path, timeout: selection.patience) { control in
                if once { try await printOnce(control) } else { try await runLive(control) }
            }
        }
    }

    /// Asks the coordinator for all that the screen shows. Only the table that is shown is filtered. The coordinator
    /// ranks the rows, so that the first ones are asked for and not just any.
    private static func look(_ control: ControlClient, _ view: TopView) async throws -> TopSample {
        var pages: [TopTable: SectionDescription] = [:]
        for table in TopTable.allCases {
            let isShown = table == view.table
            pages[table] = try await control.describe(
                table.rawValue,
                containing: isShown ? view.filter : nil,
                sortedBy: isShown ? view.rank : table.rank(of: table.firstSortKey),
                reversed: isShown && view.isReversed,
                limit: maximumRows
            )
        }
        let coordinator = try await control.describe("coordinator").rows.first ?? [:]
        return TopSample(at: .now, coordinator: coordinator, pages: pages)
    }

    private func printOnce(_ control: ControlClient) async throws {
        var state = TopState()
        _ = state.choose(table)
        _ = state.receive(try await Self.look(control, state.view))
        try await Task.sleep(for: .seconds(interval))
        _ = state.receive(try await Self.look(control, state.view))
        for line in TopScreen(state, width: Terminal.width).lines(height: nil) { Console.put(line.text) }
    }

    // MARK: Live

    /// The result of a request to the coordinator.
    private enum Answer: Sendable {
        case look(TopView, Result<TopSample, any Error>)
        case acted(String)
    }

    private typealias Inbox = TopInbox<TerminalScreen.Event, Answer>

    /// Where the tasks leave what happened, for the loop that draws.
    private final class Mailbox: Sendable {
        private let inbox = Locked(Inbox())
        /// A value for each change of the inbox that the loop has not noticed yet, at most one.
        let changes: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() {
            (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        }

        func change(_ change: (inout Inbox) -> Void) {
            inbox.withLock { change(&$0) }
            continuation.yield()
        }

        func takeAll() -> [Inbox.Item] { inbox.withLock { $0.takeAll() } }
    }

    private func runLive(_ control: ControlClient) async throws {
        let screen = TerminalScreen()
        screen.begin()
        defer { screen.restore() }
        let mailbox = Mailbox()
        try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            group.addTask { for await event in screen.events { mailbox.change { $0.add(event: event) } } }
            group.addTask { [interval] in
                while (try? await Task.sleep(for: .seconds(interval))) != nil { mailbox.change { $0.becomeDue() } }
            }
            var state = TopState()
            _ = state.choose(table)
            var looking = Looking.idle
            look(state, &looking, control, &group, mailbox)
            for await _ in mailbox.changes {
                for item in mailbox.takeAll() {
                    switch item {
                    case .event(.closed): return
                    case .event(.resized): break
                    case .event(.keys(let keys)):
                        for key in keys {
                            let output = state.receive(key)
                            if case .restart(let worker) = output { restart(worker, control, &group, mailbox) }
                            if output == .quit { return }
                            if output == .refresh { look(state, &looking, control, &group, mailbox) }
                        }
                    case .result(.look(let view, let result)):
                        let isAgain = looking == .again
                        looking = .idle
                        let sample = try result.get()
                        if view.table == state.table, view.filter == state.filter { _ = state.receive(sample) }
                        if isAgain { look(state, &looking, control, &group, mailbox) }
                    case .result(.acted(let message)):
                        if state.receive(message: message) == .refresh {
                            look(state, &looking, control, &group, mailbox)
                        }
                    case .due: look(state, &looking, control, &group, mailbox)
                    }
                }
                let size = screen.size
                screen.draw(TopScreen(state, width: size.width).lines(height: size.height))
            }
        }
    }

    /// Whether the coordinator is being asked. There is one look at a time, so a slow coordinator is not asked more.
    private enum Looking {
        case idle
        case running
        /// Something else is shown by now, so the coordinator is asked again after the answer.
        case again
    }

    private func look(
        _ state: TopState,
        _ looking: inout Looking,
        _ control: ControlClient,
        _ group: inout ThrowingDiscardingTaskGroup<any Error>,
        _ mailbox: Mailbox
    ) {
        guard looking == .idle else {
            looking = .again
            return
        }
        looking = .running
        let view = state.view
        group.addTask {
            let result: Result<TopSample, any Error>
            do { result = .success(try await Self.look(control, view)) } catch { result = .failure(error) }
            mailbox.change { $0.add(.look(view, result)) }
        }
    }

    private func restart(
        _ worker: String,
        _ control: ControlClient,
        _ group: inout ThrowingDiscardingTaskGroup<any Error>,
        _ mailbox: Mailbox
    ) {
        group.addTask {
            do {
                let result = try await control.operate("restart", ["target": .text(worker)], timeout: .seconds(60))
                mailbox.change { $0.add(.acted(result.message)) }
            } catch {
                mailbox.change { $0.add(.acted("\(error)")) }
            }
        }
    }
}

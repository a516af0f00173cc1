import ArgumentParser
import LatticeConcurrency
import LatticeControl
import LatticeToolSupport

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows live what workers, instances, clients and groups of a coordinator do.",
        discussion: """
            Keys choose the table, the order, a filter and a row, show all fields of a row, \
            and restart its worker; ? explains them. CPU% is of one core. EVENTS/S are the \
            events that a worker applied.

            Examples:
              latticectl top
              latticectl top --once --table instances --interval 5

            Exit codes: 0 success, 1 no such coordinator, no answer, or the coordinator has \
            ended, 2 the coordinator refused, 64 wrong usage.
            """
    )

    @OptionGroup var selection: CoordinatorSelection

    @Option(help: "The seconds between two descriptions, 0.1 to 3600.")
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

    /// The time after which a subscription is tried again for which there was no place.
    private static let pause: Duration = .milliseconds(200)
    /// The maximum number of rows of a table that are asked for, so that a look costs the coordinator little.
    private static let maximumRows = 500

    func validate() throws {
        guard SubscriptionBounds.seconds ~= interval else { throw ValidationError("--interval has to be 0.1 to 3600.") }
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

    /// Returns the pages for a part of the screen.
    private func pages(_ control: ControlClient, _ query: TopQuery) -> SectionDescriptions {
        control.descriptions(
            of: query.part.section,
            containing: query.filter,
            sortedBy: query.rank,
            reversed: query.isReversed,
            limit: query.part == .coordinator ? nil : Self.maximumRows,
            every: .seconds(interval)
        )
    }

    /// Prints what the second page of each part adds to the first one.
    private func printOnce(_ control: ControlClient) async throws {
        var state = TopState()
        state.choose(table)
        let queries = TopPart.allCases.map { state.query(of: $0) }
        var iterators = queries.map { pages(control, $0).makeAsyncIterator() }
        for _ in 1...2 {
            for (index, query) in queries.enumerated() {
                let page: SectionDescription?
                do {
                    page = try await iterators[index].next()
                } catch let error as ControlError where error.code == .unknownSortKey && query.rank != nil {
                    iterators[index] = pages(control, query.unranked).makeAsyncIterator()
                    page = try await iterators[index].next()
                } catch let error as ControlError where query.part.isAbsent(error) {
                    page = .absent
                }
                if let page { _ = state.receive(page, for: query, at: .now) }
            }
        }
        for line in TopScreen(state, width: Terminal.width).lines(height: nil) { Console.put(line.text) }
    }

    // MARK: Live

    /// What a subscription or an act has led to.
    private enum Answer: Sendable {
        case failed(any Error)
        case acted(String)
    }

    /// A page, with what was asked for and the time at which it arrived.
    private struct Page: Sendable {
        let query: TopQuery
        let page: SectionDescription
        let time: ContinuousClock.Instant
    }

    private typealias Inbox = TopInbox<TerminalScreen.Event, TopQuery, Page, Answer>

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

        /// Reads the pages of a subscription until the task is cancelled, or until there is an error.
        ///
        /// - Parameters:
        ///   - pages: The pages.
        ///   - unranked: The pages for a coordinator that does not rank as the query asks for, or nil if the query asks
        ///     for no rank.
        ///   - query: The query.
        ///   - mailbox: The mailbox for the pages.
        static func read(
            _ pages: SectionDescriptions,
            or unranked: SectionDescriptions?,
            for query: TopQuery,
            into mailbox: Mailbox
        ) async {
            var (pages, unranked) = (pages, unranked)
            while !Task.isCancelled {
                do {
                    for try await page in pages {
                        let page = Page(query: query, page: page, time: .now)
                        mailbox.change { $0.add(page, for: query) }
                    }
                } catch let error where (error as? ControlError)?.code == .busy {
                    // Keys were pressed so fast that the subscriptions before have not ended yet.
                    try? await Task.sleep(for: TopCommand.pause)
                } catch let error as ControlError where error.code == .unknownSortKey && unranked != nil {
                    pages = unranked.take() ?? pages
                } catch is CancellationError {
                    return
                } catch let error as ControlError where query.part.isAbsent(error) {
                    return mailbox.change { $0.add(Page(query: query, page: .absent, time: .now), for: query) }
                } catch {
                    return mailbox.change { $0.add(.failed(error)) }
                }
            }
        }
    }

    /// The subscriptions, one for each part of the screen. The tasks are unstructured, because one of them ends when
    /// its part shows something else.
    private final class Subscriptions {
        private struct Subscription {
            let query: TopQuery
            let task: Task<Void, Never>
        }

        private var all: [TopPart: Subscription] = [:]

        /// Subscribes to what the screen shows, and ends other subscriptions.
        func update(_ state: TopState, _ mailbox: Mailbox, _ pages: (TopQuery) -> SectionDescriptions) {
            for part in TopPart.allCases {
                let query = state.query(of: part)
                guard all[part]?.query != query else { continue }
                all[part]?.task.cancel()
                let (ranked, unranked) = (pages(query), query.rank == nil ? nil : pages(query.unranked))
                let task = Task { await Mailbox.read(ranked, or: unranked, for: query, into: mailbox) }
                all[part] = Subscription(query: query, task: task)
            }
        }

        deinit {
            for subscription in all.values { subscription.task.cancel() }
        }
    }

    private func runLive(_ control: ControlClient) async throws {
        let screen = TerminalScreen()
        screen.begin()
        defer { screen.restore() }
        let (mailbox, subscriptions) = (Mailbox(), Subscriptions())
        try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            group.addTask { for await event in screen.events { mailbox.change { $0.add(event: event) } } }
            var state = TopState()
            state.choose(table)
            subscriptions.update(state, mailbox) { pages(control, $0) }
            for await _ in mailbox.changes {
                var isDue = false
                for item in mailbox.takeAll() {
                    switch item {
                    case .event(.closed): return
                    case .event(.resized): isDue = true
                    case .event(.keys(let keys)):
                        for key in keys {
                            let output = state.receive(key, on: screen.size)
                            if case .restart(let worker) = output { restart(worker, control, &group, mailbox) }
                            if output == .quit { return }
                        }
                        isDue = true
                    case .page(let page):
                        isDue = state.receive(page.page, for: page.query, at: page.time) != nil || isDue
                    case .result(.failed(let error)): throw error
                    case .result(.acted(let message)):
                        state.receive(message: message)
                        isDue = true
                    }
                }
                // A page can change what the coordinator is asked for: an older one cannot rank by all keys.
                subscriptions.update(state, mailbox) { pages(control, $0) }
                guard isDue else { continue }
                let size = screen.size
                screen.draw(TopScreen(state, width: size.width).lines(height: size.height))
            }
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

extension TopPart {
    /// Returns whether an error says that the coordinator has no such table. One that was written in another language
    /// can lack it.
    fileprivate func isAbsent(_ error: ControlError) -> Bool { self != .coordinator && error.code == .unknownSection }
}

extension SectionDescription {
    /// The page of a table that a coordinator does not have.
    fileprivate static var absent: SectionDescription { SectionDescription(section: "", rows: [], total: 0) }
}

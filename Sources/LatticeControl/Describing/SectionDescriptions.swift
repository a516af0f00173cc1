import LatticeConcurrency
import LatticeWire

/// What a subscription may cost.
///
/// If the coordinator would exceed the budget, it leaves out descriptions. It then sends one description with all
/// changes, at most one in a second. ``SectionDescription/folded`` says how many intervals were left out.
public struct DescriptionBudget: Sendable, Hashable {
    /// The number of bytes that the coordinator sends in a second. A coordinator of this version accepts 1,024 to
    /// 16,777,216, and uses the nearest of them for other numbers.
    public var bytesPerSecond: Int
    /// The number of bytes that were sent and that this process has not read, above which the coordinator waits. A
    /// coordinator of this version accepts 0 to 1,048,576, and uses the nearest of them for other numbers.
    public var queueBytes: Int

    /// Creates a budget. The default is one page of the maximum size in a second, and a fourth of it unread.
    public init(bytesPerSecond: Int = 262_144, queueBytes: Int = 65_536) {
        self.bytesPerSecond = bytesPerSecond
        self.queueBytes = queueBytes
    }
}

/// The bounds of a subscription, which are those of a coordinator of this version.
package enum SubscriptionBounds {
    /// The seconds between two pages. 0 would end a subscription, and an older coordinator would be asked without a
    /// pause.
    package static let seconds: ClosedRange<Double> = 0.1...3600
    /// The bytes that a coordinator sends in a second.
    package static let bytesPerSecond: ClosedRange<Int> = 1_024...16_777_216
}

/// The pages of a section of a coordinator, again and again.
///
/// You get it from ``ControlClient/descriptions(of:containing:sortedBy:reversed:limit:offset:every:within:)``. Each
/// iteration is a subscription of its own. It ends when its iterator is released.
///
/// The coordinator sends the whole page first, and then only the rows that are new or have changed. Each page of the
/// sequence is complete nevertheless. If you do not read a page in time, a newer one takes its place.
public struct SectionDescriptions: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = SectionDescription

    let client: ControlClient
    let request: DescribeMessage
    let interval: Duration
    /// The maximum time between two pages, after which the coordinator counts as silent.
    let patience: Duration

    /// Creates an iterator. The subscription begins with the first call of its `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator over the pages of one subscription.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case idle
            case subscribed(Subscription)
            /// The coordinator has an older version and knows no subscriptions, so it is asked again and again.
            case polling(last: ContinuousClock.Instant)
        }

        private let descriptions: SectionDescriptions
        private var state = State.idle

        fileprivate init(_ descriptions: SectionDescriptions) {
            self.descriptions = descriptions
        }

        /// Waits for the next page. The sequence has no end.
        ///
        /// - Throws: `ControlError` if the coordinator refuses, does not answer in time, has no such section or sort
        ///   key, or has ended, and if the client has 8 subscriptions. At an older coordinator also if 4 requests of
        ///   the client are not answered yet. `CancellationError` if the calling task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> SectionDescription? {
            let subscription: Subscription
            switch state {
            case .idle:
                let subscriber = try descriptions.client.subscribe(descriptions.request)
                subscription = Subscription(subscriber, of: descriptions.client)
                state = .subscribed(subscription)
            case .subscribed(let begun): subscription = begun
            case .polling(let last):
                try await Task.sleep(until: last + descriptions.interval, clock: .continuous)
                state = .polling(last: .now)
                return try await descriptions.client.page(for: descriptions.request)
            }
            switch try await subscription.subscriber.next(within: descriptions.patience) {
            case .page(let page)?: return page
            case .only(let page)?:
                state = .polling(last: .now)
                return page
            case nil: throw ControlError.silent(descriptions.client.socketPath, within: descriptions.patience)
            }
        }
    }

    /// A subscription, which ends when it is released.
    fileprivate final class Subscription: Sendable {
        let subscriber: DescriptionSubscriber
        private let client: ControlClient

        init(_ subscriber: DescriptionSubscriber, of client: ControlClient) {
            self.subscriber = subscriber
            self.client = client
        }

        deinit {
            if subscriber.abandon() { client.unsubscribe(subscriber) }
        }
    }
}

import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// An event of a client that has not ended.
struct DescribedEvent: Sendable {
    /// The instance and the client to which the events of a channel belong. All of them share it.
    final class Source: Sendable {
        let key: FeatureRegistry.Key
        let client: EventSender
        /// The process of the client, or nil if the client has left.
        let processID: Int32?

        init(_ key: FeatureRegistry.Key, _ client: EventSender, _ processID: Int32?) {
            self.key = key
            self.client = client
            self.processID = processID
        }
    }

    /// What belongs to the event loop of an event.
    struct Facts: Sendable {
        /// A Boolean value that indicates whether the event waits to be sent to the worker.
        let isWaiting: Bool
        /// The place of the event among all events of its instance, or nil while it waits.
        let order: UInt64?
        let subject: ChannelClient.Subject

        init(_ event: ForwardedEvent) {
            isWaiting = event.isWaiting
            order = event.order
            subject = event.client.events.destination.channel.subject
        }
    }

    let event: ForwardedEvent
    let source: Source
    /// Nil if the event is not shown.
    var facts: Facts?
}

/// The first of all open events, in the order of a request, and the number of all.
///
/// It keeps little more than the request can show. Of most other events it reads only the number.
struct FirstEvents: Sendable {
    /// The order of a request.
    private struct Order {
        /// A key by which a request ranks events.
        enum Key: String {
            case feature
            case actionBytes
        }

        /// Nil for the order of arrival.
        let key: Key?
        let isReversed: Bool

        func precedes(_ first: DescribedEvent, _ second: DescribedEvent) -> Bool {
            let (first, second) = isReversed ? (second, first) : (first, second)
            switch key {
            case .feature where first.source.key.feature != second.source.key.feature:
                return first.source.key.feature < second.source.key.feature
            case .actionBytes where first.event.bytes != second.event.bytes:
                return first.event.bytes > second.event.bytes
            default: return first.event.arrival < second.event.arrival
            }
        }
    }

    /// The number of events beyond twice those that a request can show, at which the later ones are dropped. Dropping
    /// takes a sort, so it must be seldom.
    private static let spare = 1_000

    private let order: Order
    /// The number of events that the request can show.
    private let count: Int
    /// The events that are kept, in no order. They include those that the request can show.
    private(set) var events: [DescribedEvent] = []
    /// An event after which no event is shown. Nil as long as there are few.
    private var last: DescribedEvent?
    /// The number of all events that were added.
    private(set) var total = 0

    /// - Parameter request: Nil if only the number of events is of interest.
    init(_ request: DescribeMessage?) {
        order = Order(key: request?.sortKey.flatMap { Order.Key(rawValue: $0) }, isReversed: request?.reverse == 1)
        count = request.map { DescriptionLimits.rows(of: $0) }.map { $0.offset + $0.count } ?? 0
    }

    /// Adds the events of a channel. Call it on the event loop.
    mutating func add(_ channel: ChannelServer, of source: DescribedEvent.Source) {
        total += channel.runningCount
        let numbers = channel.runningNumbers
        switch order.key {
        case nil, .feature:
            // All events of a channel have the same feature, and a higher number has arrived later.
            for number in order.isReversed ? numbers.first(count, by: >) : numbers.first(count, by: <) {
                guard keep(channel.runningEvent(number), of: source) else { return }
            }
        case .actionBytes:
            for number in numbers { _ = keep(channel.runningEvent(number), of: source) }
        }
    }

    /// Keeps an event if it may be one of the first. Returns false if it and all later ones are not.
    private mutating func keep(_ event: (any RunningEvent)?, of source: DescribedEvent.Source) -> Bool {
        guard let event = event as? ForwardedEvent else {
            // Another event has ended, and its end is not published yet.
            total -= 1
            return true
        }
        let described = DescribedEvent(event: event, source: source)
        if let last, !order.precedes(described, last) { return false }
        events.append(described)
        // Events far behind the first ones are not dropped, because sorting them would take the event loop too long.
        if count <= DescriptionLimits.maximumRows, events.count >= 2 * count + Self.spare {
            events.sort { [order] in order.precedes($0, $1) }
            events.removeLast(events.count - count)
            last = events.last
        }
        return true
    }
}

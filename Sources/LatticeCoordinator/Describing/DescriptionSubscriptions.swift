/// The subscriptions of all sessions, with the limits on their number.
struct DescriptionSubscriptions<Subscription> {
    /// The maximum number of subscriptions of a session. `latticectl top` has five.
    static var maximumPerSession: Int { 8 }
    /// The maximum number of subscriptions of all clients. There are at most eight tools, and clients take none of
    /// their subscriptions.
    static var maximumOfClients: Int { 32 }

    /// The result of a request to subscribe.
    enum Addition: Equatable {
        case added
        /// The session has a subscription with this number.
        case isKnown
        /// There are too many. The sentence says which ones, and what to do.
        case tooMany(String)
    }

    private var sessions: [UInt64: [UInt64: (subscription: Subscription, isOfClient: Bool)]] = [:]
    private var clientCount = 0

    /// The number of subscriptions.
    var count: Int { sessions.values.reduce(0) { $0 + $1.count } }

    /// The numbers of the subscriptions of a session, in ascending order.
    func numbers(of session: UInt64) -> [UInt64] { sessions[session]?.keys.sorted() ?? [] }

    /// Returns a subscription, or nil if it has ended.
    subscript(_ number: UInt64, of session: UInt64) -> Subscription? { sessions[session]?[number]?.subscription }

    /// Adds a subscription.
    mutating func add(
        _ subscription: Subscription,
        as number: UInt64,
        of session: UInt64,
        isOfClient: Bool
    ) -> Addition {
        let count = sessions[session]?.count ?? 0
        if sessions[session]?[number] != nil { return .isKnown }
        guard count < Self.maximumPerSession else {
            return .tooMany("This session has \(count) subscriptions, its maximum. End one of them.")
        }
        guard !isOfClient || clientCount < Self.maximumOfClients else {
            return .tooMany(
                "Clients have \(clientCount) subscriptions, their maximum. Ask later, or connect as a tool."
            )
        }
        if isOfClient { clientCount += 1 }
        sessions[session, default: [:]][number] = (subscription, isOfClient)
        return .added
    }

    /// Removes a subscription, and returns it.
    mutating func remove(_ number: UInt64, of session: UInt64) -> Subscription? {
        guard let removed = sessions[session]?.removeValue(forKey: number) else { return nil }
        if sessions[session]?.isEmpty == true { sessions[session] = nil }
        if removed.isOfClient { clientCount -= 1 }
        return removed.subscription
    }
}

import LatticeConcurrency
import LatticeSession
import LatticeWire

extension ControlClient {
    /// Returns the pages of a section, as they are now and after each interval.
    ///
    /// ```swift
    /// for try await page in control.descriptions(of: "instances", sortedBy: "waiting", limit: 10) {
    ///     print(page.rows.map { $0["waiting"]?.int ?? 0 })
    /// }
    /// ```
    ///
    /// The coordinator sends only what has changed, within a budget. An older coordinator knows no subscriptions. It is
    /// asked again after each interval instead, and sends whole pages.
    ///
    /// A client has at most 8 subscriptions at a time. An older coordinator accepts 4 unanswered requests of a client,
    /// so read at most 4 sequences of its pages at a time. With more of them, `next()` can throw an error with the code
    /// ``ControlError/Code/busy``. After such an error, create a new iterator.
    ///
    /// - Parameters:
    ///   - section: The name of the section, at most 64 bytes. An empty name stands for the list of all sections.
    ///   - filter: A text that the described rows contain, 1 to 255 bytes, or nil for all rows.
    ///   - key: The key by which rows are ranked, or nil for the order of the section. Texts ascend, and numbers
    ///     descend.
    ///   - reversed: Whether the order is reversed.
    ///   - limit: The maximum number of rows, or nil for the default of the coordinator.
    ///   - offset: The number of rows to leave out.
    ///   - interval: The time between two pages, 0.1 seconds to one hour. For other times, the nearest of them is used.
    ///   - budget: What the subscription may cost.
    /// - Returns: The pages. An argument outside its range is an error of the first page.
    public func descriptions(
        of section: String,
        containing filter: String? = nil,
        sortedBy key: String? = nil,
        reversed: Bool = false,
        limit: Int? = nil,
        offset: Int = 0,
        every interval: Duration = .seconds(1),
        within budget: DescriptionBudget = DescriptionBudget()
    ) -> SectionDescriptions {
        var request = DescribeMessage(
            section,
            containing: filter,
            sortedBy: key,
            reversed: reversed,
            limit: limit,
            offset: offset
        )
        let (shortest, longest) = (SubscriptionBounds.seconds.lowerBound, SubscriptionBounds.seconds.upperBound)
        let interval = min(max(interval, .seconds(shortest)), .seconds(longest))
        request.intervalMilliseconds = UInt32(interval / .milliseconds(1))
        request.bytesPerSecond = UInt32(clamping: budget.bytesPerSecond)
        request.queueBytes = UInt32(clamping: budget.queueBytes)
        // The time in which the budget allows a page of the maximum size, at least a second.
        let rate = max(budget.bytesPerSecond, SubscriptionBounds.bytesPerSecond.lowerBound)
        let page = Duration.seconds(max(MessageLimits.maximumRows / rate, 1))
        return SectionDescriptions(
            client: self,
            request: request,
            interval: interval,
            patience: max(interval, .seconds(1)) + page + timeout
        )
    }

    /// Begins a subscription.
    ///
    /// - Throws: ``ControlError`` if there are too many, if the session has ended, or if an argument is invalid.
    func subscribe(_ request: DescribeMessage) throws -> DescriptionSubscriber {
        try request.check()
        let subscriber = DescriptionSubscriber(request.section, offset: Int(request.offset ?? 0))
        let (beginning, session) = core.withLock { ($0.requests.subscribe(.subscriber(subscriber)), $0.session) }
        switch beginning {
        case .send(let number):
            subscriber.number.complete(number)
            var request = request
            request.request = number
            session?.sendControl(request)
            return subscriber
        case .tooMany:
            throw ControlError.tooManySubscriptions(PendingRequests<Waiter, SessionError>.maximumSubscriptions)
        case .ended(let error): throw ControlError.ended(socketPath, error, asked: false)
        }
    }

    /// Asks the coordinator to end a subscription. Its number stays in use until the last message has arrived.
    func unsubscribe(_ subscriber: DescriptionSubscriber) {
        guard let number = subscriber.number.valueIfComplete else { return }
        core.withLock(\.session)?.sendControl(DescribeMessage(request: number, intervalMilliseconds: 0))
    }
}

extension DescribeMessage {
    /// Creates a request for a page. Numbers that are too large become the largest ones.
    init(
        _ section: String,
        containing filter: String?,
        sortedBy key: String?,
        reversed: Bool,
        limit: Int?,
        offset: Int
    ) {
        self.init(request: 1, section: section, filter: filter, sortKey: key)
        reverse = reversed ? 1 : nil
        self.limit = limit.map { UInt32(clamping: $0) }
        self.offset = offset == 0 ? nil : UInt32(clamping: offset)
    }

    /// Checks the texts of the request.
    ///
    /// - Throws: ``ControlError`` if one of them is too long or empty.
    func check() throws {
        let texts = [
            ("The name of a section", section, 0...MessageLimits.maximumSection),
            ("A filter", filter ?? "x", 1...MessageLimits.maximumFilter),
            ("A sort key", sortKey ?? "x", 1...MessageLimits.maximumSection),
        ]
        for (name, text, range) in texts where !range.contains(text.utf8.count) {
            throw ControlError.invalid(
                "\(name) has \(text.utf8.count) bytes. Choose one with \(range.lowerBound) to \(range.upperBound)."
            )
        }
    }
}

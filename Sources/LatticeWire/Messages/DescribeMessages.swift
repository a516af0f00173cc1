/// Asks a coordinator for a description of one of its sections, once or again and again.
package struct DescribeMessage: WireMessageBody {
    package static let kind = MessageKind.describe

    /// The number of the request, above 0, which the answer repeats.
    package var request: UInt64 = 0
    /// The name of the section, or the empty string for the list of all sections.
    package var section: String = ""
    /// A text that the described rows contain. Nil to describe all rows.
    package var filter: String?
    /// The key by which the rows are ranked. Nil for the order of the section.
    package var sortKey: String?
    /// The reversal of the order: 1 to begin with the row that would otherwise be the last one.
    package var reverse: UInt8?
    /// The maximum number of rows. Nil for the default of the other side.
    package var limit: UInt32?
    /// The number of rows to leave out first. Nil to leave out none.
    package var offset: UInt32?
    /// The number after which the described rows come, to continue an earlier answer. Nil to describe all rows.
    package var after: UInt64?
    /// The time between two descriptions of a subscription in milliseconds. Nil for a single answer, and 0 to end the
    /// subscription with the number of the request.
    package var intervalMilliseconds: UInt32?
    /// The number of bytes of descriptions that a subscription may send in a second. Nil for the default of the other
    /// side.
    package var bytesPerSecond: UInt32?
    /// The number of unwritten bytes of the session above which a subscription waits. Nil for the default of the other
    /// side.
    package var queueBytes: UInt32?

    package init(
        request: UInt64,
        section: String = "",
        filter: String? = nil,
        sortKey: String? = nil,
        reverse: UInt8? = nil,
        limit: UInt32? = nil,
        offset: UInt32? = nil,
        after: UInt64? = nil,
        intervalMilliseconds: UInt32? = nil,
        bytesPerSecond: UInt32? = nil,
        queueBytes: UInt32? = nil
    ) {
        self.request = request
        self.section = section
        self.filter = filter
        self.sortKey = sortKey
        self.reverse = reverse
        self.limit = limit
        self.offset = offset
        self.after = after
        self.intervalMilliseconds = intervalMilliseconds
        self.bytesPerSecond = bytesPerSecond
        self.queueBytes = queueBytes
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "request", &request, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "section", &section, .text(0...MessageLimits.maximumSection))
        try coder.optional(3, "filter", &filter, .text(1...MessageLimits.maximumFilter))
        try coder.optional(4, "sortKey", &sortKey, .text(1...MessageLimits.maximumSection))
        try coder.optional(5, "reverse", &reverse, .unsigned)
        try coder.optional(6, "limit", &limit, .unsigned)
        try coder.optional(7, "offset", &offset, .unsigned)
        try coder.optional(8, "after", &after, .growing)
        try coder.optional(9, "intervalMilliseconds", &intervalMilliseconds, .unsigned)
        try coder.optional(10, "bytesPerSecond", &bytesPerSecond, .unsigned)
        try coder.optional(11, "queueBytes", &queueBytes, .unsigned)
    }
}

/// The answer to *describe*: a page of rows, the change of a page of a subscription, or the reason why there is none.
package struct DescriptionMessage: WireMessageBody {
    package static let kind = MessageKind.description

    /// The number of the request.
    package var request: UInt64 = 0
    /// The result of the request.
    package var code: DescriptionCode = DescriptionCode.described
    /// The reason why there are no rows, in one sentence. It is empty if there are rows.
    package var reason: String = ""
    /// The number of rows that the filter lets pass, of which the message may contain only some.
    package var total: UInt64 = 0
    /// The number of rows in the message.
    package var shown: UInt64 = 0
    /// The encoded rows: one CBOR array of `shown` maps with text keys, or no bytes if `code` is not `described`. A
    /// process that only passes them on does not decode them.
    package var rows: [UInt8] = []
    /// The reason why further rows are missing. Nil if the page contains all rows from the offset on.
    package var cut: DescriptionCut?
    /// The number of the message in its subscription, from 1 on. Nil if there is no subscription.
    package var update: UInt64?
    /// The rows of the page in their order, as an encoded array of numbers (``RowPlaces``). Nil if the page consists of
    /// the rows of the message.
    package var places: [UInt8]?
    /// The number of intervals that have passed without a message of their own, because the budget of the subscription
    /// was used up. Nil if there is none.
    package var folded: UInt64?
    /// The keys whose values together identify a row. Only the first message of a subscription has them.
    package var keys: [String]?

    package init(request: UInt64, total: UInt64, shown: UInt64, rows: [UInt8], cut: DescriptionCut? = nil) {
        self.request = request
        self.total = total
        self.shown = shown
        self.rows = rows
        self.cut = cut
    }

    /// Creates the answer to a request that has no rows as its result.
    package init(request: UInt64, _ code: DescriptionCode, reason: String) {
        self.request = request
        self.code = code
        self.reason = reason
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "request", &request, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "code", &code, .code)
        try coder.field(3, "reason", &reason, .sentence)
        try coder.field(4, "total", &total, .growing)
        try coder.field(5, "shown", &shown, .growing)
        try coder.field(6, "rows", &rows, .bytes(0...MessageLimits.maximumRows))
        try coder.optional(7, "cut", &cut, .code)
        try coder.optional(8, "update", &update, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.optional(9, "places", &places, .bytes(1...MessageLimits.maximumPlaces))
        try coder.optional(10, "folded", &folded, .growing)
        try coder.optional(
            11,
            "keys",
            &keys,
            .list(.text(1...MessageLimits.maximumSection), maximum: MessageLimits.maximumRowKeys)
        )
    }
}

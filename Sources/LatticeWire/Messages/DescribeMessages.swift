/// Asks a coordinator for a description of one of its sections.
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

    package init(
        request: UInt64,
        section: String = "",
        filter: String? = nil,
        sortKey: String? = nil,
        reverse: UInt8? = nil,
        limit: UInt32? = nil,
        offset: UInt32? = nil,
        after: UInt64? = nil
    ) {
        self.request = request
        self.section = section
        self.filter = filter
        self.sortKey = sortKey
        self.reverse = reverse
        self.limit = limit
        self.offset = offset
        self.after = after
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
    }
}

/// The answer to *describe*: a page of rows, or the reason why there is none.
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
    /// The reason why further rows are missing. Nil if the message contains all rows from the offset on.
    package var cut: DescriptionCut?

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
    }
}

import LatticeCoding

/// A feature that one side of a session serves.
package struct FeatureAdvertisement: FieldedBody, Sendable, Hashable {
    package static let name = "a feature"

    /// The feature's stable name, 1 to 255 bytes of UTF-8.
    package var identifier = ""
    /// The version of its action and state, which must be the same on both ends.
    package var schema: UInt32 = 0
    /// The level at which the feature is served.
    package var level = FeatureLevel.domain

    package init(identifier: String, schema: UInt32, level: FeatureLevel) {
        self.identifier = identifier
        self.schema = schema
        self.level = level
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "identifier", &identifier, .identifier)
        try coder.field(2, "schema", &schema, .unsigned)
        try coder.field(3, "level", &level, .code)
    }

    /// Returns the number of bytes of a list of features in a message.
    ///
    /// - Complexity: O(*n*), where *n* is the number of features.
    package static func length(of features: [FeatureAdvertisement]) -> Int {
        var fields = FieldWriter(leavingOutPayload: false)
        FieldType.features.write(features, &fields)
        return fields.writer.bytes.count
    }
}

extension FieldType<[FeatureAdvertisement]> {
    static var features: FieldType { list(.value, maximum: MessageLimits.maximumFeatures) }
}

/// The level of a feature, which decides which of its two states travels on a channel.
package enum FeatureLevel: UInt8, Sendable, Hashable, CaseIterable {
    /// The level of workers: the domain state, and the events that the interactor handles.
    case domain = 1
    /// The level of coordinators: the view state, and the events of users.
    case view = 2
}

/// A feature that one side of a session serves.
package struct FeatureAdvertisement: Sendable, Hashable {
    /// The feature's stable name, 1 to 255 bytes of UTF-8.
    package var identifier: String
    /// The version of its action and state; both ends must agree.
    package var schema: UInt32
    package var level: FeatureLevel

    package init(identifier: String, schema: UInt32, level: FeatureLevel) {
        self.identifier = identifier
        self.schema = schema
        self.level = level
    }

    func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 3)
        writer.append(unsigned: 1)
        writer.append(text: identifier)
        writer.append(unsigned: 2)
        writer.append(unsigned: UInt64(schema))
        writer.append(unsigned: 3)
        writer.append(unsigned: UInt64(level.rawValue))
    }

    /// Reads one advertisement and moves the reader behind it.
    init(reading reader: inout CBORReader) throws(WireError) {
        var fields = try MessageFields(reader, of: "a feature")
        var identifier: String?
        var schema: UInt32?
        var level: FeatureLevel?
        while let key = try fields.next() {
            switch key {
            case 1: identifier = try fields.identifier("identifier")
            case 2: schema = try fields.reader.unsigned(UInt32.self)
            case 3: level = try fields.number(FeatureLevel.self, "level")
            default: try fields.reader.skip()
            }
        }
        self.identifier = try fields.require(identifier, "identifier")
        self.schema = try fields.require(schema, "schema")
        self.level = try fields.require(level, "level")
        reader = fields.reader
        reader.level -= 1
    }

    static func encode(_ features: [FeatureAdvertisement], into writer: inout CBORWriter) {
        writer.append(arrayHeader: features.count)
        for feature in features { feature.encode(into: &writer) }
    }

    /// Bytes that a list of features takes in a message.
    package static func length(of features: [FeatureAdvertisement]) -> Int {
        var writer = CBORWriter()
        encode(features, into: &writer)
        return writer.bytes.count
    }

    static func list(_ fields: inout MessageFields) throws(WireError) -> [FeatureAdvertisement] {
        let count = try fields.list(maximum: MessageLimits.maximumFeatures, "features")
        var features: [FeatureAdvertisement] = []
        fields.reader.level += 1
        for _ in 0..<count {
            features.append(try FeatureAdvertisement(reading: &fields.reader))
        }
        fields.reader.level -= 1
        return features
    }
}

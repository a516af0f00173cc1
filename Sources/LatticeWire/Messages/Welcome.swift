/// The answer that begins a session: everything else may follow.
package struct Welcome: WireMessageBody {
    package static let kind = MessageKind.welcome

    /// The version that both sides speak from here on: the highest one in both ranges.
    package var version: UInt16
    package var role: Role
    /// Names the process: another one has another number.
    package var life: UInt64
    package var processID: UInt32
    /// What the sender serves, at most 1,024.
    package var features: [FeatureAdvertisement]
    /// Names what the sender remembers, in 16 bytes: another one only when that was lost. Events of its own come from it.
    package var memory: [UInt8]

    package init(
        version: UInt16 = WireVersion.current,
        role: Role,
        life: UInt64,
        processID: UInt32,
        features: [FeatureAdvertisement],
        memory: [UInt8]
    ) {
        self.version = version
        self.role = role
        self.life = life
        self.processID = processID
        self.features = features
        self.memory = memory
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 6)
        writer.append(unsigned: 1)
        writer.append(unsigned: UInt64(version))
        writer.append(unsigned: 2)
        writer.append(unsigned: UInt64(role.rawValue))
        writer.append(unsigned: 3)
        writer.append(unsigned: life)
        writer.append(unsigned: 4)
        writer.append(unsigned: UInt64(processID))
        writer.append(unsigned: 5)
        FeatureAdvertisement.encode(features, into: &writer)
        writer.append(unsigned: 6)
        writer.append(bytes: memory)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "welcome")
        var version: UInt16?
        var role: Role?
        var life: UInt64?
        var processID: UInt32?
        var features: [FeatureAdvertisement]?
        var memory: [UInt8]?
        while let key = try fields.next() {
            switch key {
            case 1: version = try fields.reader.unsigned(UInt16.self)
            case 2: role = try fields.number(Role.self, "role")
            case 3: life = try fields.reader.unsigned()
            case 4: processID = try fields.reader.unsigned(UInt32.self)
            case 5: features = try FeatureAdvertisement.list(&fields)
            case 6: memory = try fields.identity("memory")
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.version = try fields.require(version, "version")
        self.role = try fields.require(role, "role")
        self.life = try fields.require(life, "life")
        self.processID = try fields.require(processID, "processID")
        self.features = try fields.require(features, "features")
        self.memory = try fields.require(memory, "memory")
    }
}

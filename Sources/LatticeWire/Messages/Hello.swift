/// The first message of a session, from the side that began it.
package struct Hello: WireMessageBody {
    package static let kind = MessageKind.hello

    /// The versions that the sender speaks.
    package var versions: ClosedRange<UInt16>
    package var role: Role
    /// Which life of the sender this is; it only grows. 0 for processes that have no lives.
    package var incarnation: UInt64
    /// The one-time token that a supervised worker was given, at most 64 bytes. Empty for others.
    package var token: [UInt8]
    /// A client's identity, 16 bytes: the same after a reconnect. Empty for others.
    package var identity: [UInt8]
    package var processID: UInt32
    /// What the sender serves, at most 1,024.
    package var features: [FeatureAdvertisement]
    /// Names what a worker runs, at most 64 bytes: the same for each process of one program, another one for another
    /// program. nil for others, and for workers that cannot tell.
    package var build: [UInt8]?

    package init(
        versions: ClosedRange<UInt16> = WireVersion.supported,
        role: Role,
        incarnation: UInt64,
        token: [UInt8] = [],
        identity: [UInt8] = [],
        processID: UInt32,
        features: [FeatureAdvertisement],
        build: [UInt8]? = nil
    ) {
        self.versions = versions
        self.role = role
        self.incarnation = incarnation
        self.token = token
        self.identity = identity
        self.processID = processID
        self.features = features
        self.build = build
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: build == nil ? 8 : 9)
        writer.append(unsigned: 1)
        writer.append(unsigned: UInt64(versions.lowerBound))
        writer.append(unsigned: 2)
        writer.append(unsigned: UInt64(versions.upperBound))
        writer.append(unsigned: 3)
        writer.append(unsigned: UInt64(role.rawValue))
        writer.append(unsigned: 4)
        writer.append(unsigned: incarnation)
        writer.append(unsigned: 5)
        writer.append(bytes: token)
        writer.append(unsigned: 6)
        writer.append(bytes: identity)
        writer.append(unsigned: 7)
        writer.append(unsigned: UInt64(processID))
        writer.append(unsigned: 8)
        FeatureAdvertisement.encode(features, into: &writer)
        guard let build else { return }
        writer.append(unsigned: 9)
        writer.append(bytes: build)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "hello")
        var minimum, maximum: UInt16?
        var role: Role?
        var incarnation: UInt64?
        var token, identity, build: [UInt8]?
        var processID: UInt32?
        var features: [FeatureAdvertisement]?
        while let key = try fields.next() {
            switch key {
            case 1: minimum = try fields.reader.unsigned(UInt16.self)
            case 2: maximum = try fields.reader.unsigned(UInt16.self)
            case 3: role = try fields.number(Role.self, "role")
            case 4: incarnation = try fields.reader.unsigned()
            case 5: token = try fields.bytes(maximum: MessageLimits.maximumToken, "token")
            case 6: identity = try fields.identityOrNone("identity")
            case 7: processID = try fields.reader.unsigned(UInt32.self)
            case 8: features = try FeatureAdvertisement.list(&fields)
            case 9: build = try fields.build()
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        versions = try fields.versions(minimum, maximum)
        self.role = try fields.require(role, "role")
        self.incarnation = try fields.require(incarnation, "incarnation")
        self.token = try fields.require(token, "token")
        self.identity = try fields.require(identity, "identity")
        self.processID = try fields.require(processID, "processID")
        self.features = try fields.require(features, "features")
        self.build = build
    }
}

extension MessageFields {
    /// At least one byte, and at most ``MessageLimits/maximumBuild``.
    mutating func build() throws(WireError) -> [UInt8] {
        let bytes = try bytes(maximum: MessageLimits.maximumBuild, "build")
        guard !bytes.isEmpty else { throw .emptyField("build") }
        return bytes
    }

    /// Two numbers that bound a range of versions.
    func versions(_ minimum: UInt16?, _ maximum: UInt16?) throws(WireError) -> ClosedRange<UInt16> {
        let minimum = try require(minimum, "minimumVersion")
        let maximum = try require(maximum, "maximumVersion")
        guard minimum <= maximum else { throw .badRange(minimum: minimum, maximum: maximum) }
        return minimum...maximum
    }
}

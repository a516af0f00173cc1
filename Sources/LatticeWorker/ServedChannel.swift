import LatticeWire

/// A channel as its host sees it, whatever the feature. On the reactor's thread only.
protocol ServedChannel: AnyObject {
    /// Whether nothing runs.
    var isIdle: Bool { get }

    /// Tells the opener where the feature starts.
    func announce(startedFrom state: [UInt8]?)
    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError)
    /// Takes no new events.
    func drain()
    /// Publishes what could not be published before.
    func publishSoon()
    /// Cancels what runs.
    func close()
}

/// The places of a coordinator's clients and of connections that have not sent hello.
///
/// Clients take precedence. A connection without a hello is accepted while there is room, and is closed when another
/// one needs its place. A connection that sends nothing therefore cannot keep out one that does.
struct ClientPlaces<ID: Hashable> {
    /// The number of places in addition to those of clients. If that many connections send hello at the same moment,
    /// none has to be closed, even if all places of clients are taken and each connection is refused with a reason.
    let handshakes: Int

    let maximumClients: Int
    /// The maximum number of tools. They take no places of clients.
    let maximumTools: Int
    private var clients: Set<ID> = []
    private var tools: Set<ID> = []
    /// The connections without a hello, in the order in which they connected.
    private var silent: [(id: ID, process: Int32?)] = []

    init(
        maximumClients: Int,
        handshakes: Int = DescriptorBudget.maximumRefusals,
        maximumTools: Int = DescriptorBudget.maximumTools
    ) {
        self.maximumClients = maximumClients
        self.maximumTools = maximumTools
        self.handshakes = handshakes
    }

    var clientCount: Int { clients.count }
    var toolCount: Int { tools.count }
    var silentCount: Int { silent.count }

    /// Adds a connection.
    ///
    /// - Parameter process: The ID of the process that connected, if the system provides it.
    /// - Returns: The connection that is to be closed, if any. It is the oldest one of the process that has the most
    ///   connections without a hello.
    mutating func connected(_ id: ID, of process: Int32?) -> ID? {
        silent.append((id, process))
        guard clients.count + silent.count > maximumClients + handshakes else { return nil }
        let counts = silent.reduce(into: [:]) { counts, silent in counts[silent.process, default: 0] += 1 }
        let maximum = counts.values.max()
        guard let oldest = silent.firstIndex(where: { counts[$0.process] == maximum }) else { return nil }
        return silent.remove(at: oldest).id
    }

    /// Moves a connection to the clients, because it sent hello.
    ///
    /// - Returns: A Boolean value that indicates whether there was a place among the clients.
    mutating func saidHello(_ id: ID) -> Bool {
        guard clients.count < maximumClients, let index = silent.firstIndex(where: { $0.id == id }) else {
            return false
        }
        silent.remove(at: index)
        clients.insert(id)
        return true
    }

    /// Moves a connection to the tools, because it sent hello as one.
    ///
    /// - Returns: A Boolean value that indicates whether there was a place among the tools.
    mutating func saidHelloAsTool(_ id: ID) -> Bool {
        guard tools.count < maximumTools, let index = silent.firstIndex(where: { $0.id == id }) else { return false }
        silent.remove(at: index)
        tools.insert(id)
        return true
    }

    mutating func left(_ id: ID) {
        if clients.remove(id) == nil, tools.remove(id) == nil { silent.removeAll { $0.id == id } }
    }
}

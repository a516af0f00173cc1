/// Who has a place with a coordinator: clients, and connections that have not said hello.
///
/// Those that said hello come first: a connection that has not is let in as long as there is room, and leaves when
/// there is none for the next one. So nobody who says nothing keeps out who does.
struct ClientPlaces<ID: Hashable> {
    /// Places on top of those of clients: with so many that say hello in the same moment nobody has to leave, even if
    /// all clients are there and the newcomers are to be told so.
    let handshakes: Int

    let maximumClients: Int
    private var clients: Set<ID> = []
    /// In the order in which they came.
    private var silent: [(id: ID, process: Int32?)] = []

    init(maximumClients: Int, handshakes: Int = DescriptorBudget.maximumRefusals) {
        self.maximumClients = maximumClients
        self.handshakes = handshakes
    }

    var clientCount: Int { clients.count }
    var silentCount: Int { silent.count }

    /// A connection came.
    ///
    /// - Parameter process: Whose it is, if the system says that.
    /// - Returns: Who leaves for it: of the process that has the most connections without a hello the oldest one.
    mutating func connected(_ id: ID, of process: Int32?) -> ID? {
        silent.append((id, process))
        guard clients.count + silent.count > maximumClients + handshakes else { return nil }
        let counts = silent.reduce(into: [:]) { counts, silent in counts[silent.process, default: 0] += 1 }
        let most = counts.values.max()
        guard let oldest = silent.firstIndex(where: { counts[$0.process] == most }) else { return nil }
        return silent.remove(at: oldest).id
    }

    /// It said hello.
    ///
    /// - Returns: Whether there is a place among the clients.
    mutating func saidHello(_ id: ID) -> Bool {
        guard clients.count < maximumClients, let index = silent.firstIndex(where: { $0.id == id }) else {
            return false
        }
        silent.remove(at: index)
        clients.insert(id)
        return true
    }

    mutating func left(_ id: ID) {
        if clients.remove(id) == nil { silent.removeAll { $0.id == id } }
    }
}

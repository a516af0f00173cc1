import LatticeTransport

extension Coordinator {
    /// Takes the socket that this process has inherited.
    ///
    /// - Parameters:
    ///   - descriptor: The socket, or nil for none.
    ///   - path: The path at which the program wants to listen, or nil.
    /// - Throws: `CoordinatorError` if the socket cannot be used, or if there is a path as well.
    static func inherit(_ descriptor: Int32?, besides path: String?) throws(CoordinatorError) -> InheritedSocket? {
        guard let descriptor else { return nil }
        guard path == nil else {
            throw .invalid(
                "The coordinator has a listeningSocket and a path to listen at. Leave out the path of withCoordinator,"
                    + " because the socket has one."
            )
        }
        do throws(TransportError) {
            return try InheritedSocket(taking: descriptor)
        } catch {
            throw .listening(error)
        }
    }
}

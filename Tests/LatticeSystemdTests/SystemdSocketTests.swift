import Testing

@testable import LatticeSystemd

/// The sockets that systemd passes.
@Suite struct SystemdSocketTests {
    @Test(
        "The sockets are read from the variables of the process that they are for",
        arguments: [
            (["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a.socket:b"], [(3, "a.socket"), (4, "b")]),
            (["LISTEN_PID": "7", "LISTEN_FDS": "1"], [(3, "unknown")]),
            (["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": ""], [(3, "")]),
            (["LISTEN_PID": "7", "LISTEN_FDS": "0"], []), (["LISTEN_PID": "8", "LISTEN_FDS": "1"], []),
            (["LISTEN_FDS": "1"], []), (["LISTEN_PID": "7"], []), ([:], []),
        ] as [([String: String], [(Int32, String)])]
    )
    func read(_ variables: [String: String], _ expected: [(Int32, String)]) throws {
        let sockets = try SystemdSocket.read(variables, process: 7)
        #expect(sockets == expected.map { SystemdSocket(descriptor: $0.0, name: $0.1) })
    }

    @Test(
        "A variable with another form is an error that names it",
        arguments: [
            (["LISTEN_PID": "x", "LISTEN_FDS": "1"], "LISTEN_PID"),
            (["LISTEN_PID": "0", "LISTEN_FDS": "1"], "LISTEN_PID"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], "LISTEN_FDS"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "1025"], "LISTEN_FDS"),
            (["LISTEN_PID": "7", "LISTEN_FDS": ""], "LISTEN_FDS"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a:b"], "LISTEN_FDNAMES"),
        ]
    )
    func wrong(_ variables: [String: String], _ name: String) {
        let error = #expect(throws: SystemdError.self) { _ = try SystemdSocket.read(variables, process: 7) }
        #expect(error?.code == .invalidVariable && error?.message.contains("The variable \(name) is") == true)
    }
}

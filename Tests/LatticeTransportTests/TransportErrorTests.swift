import CLatticeSystem
import Testing

@testable import LatticeTransport

struct TransportErrorTests {
    @Test(
        "Errors that may pass are distinguished from permanent ones",
        arguments: [
            (EMFILE, true), (ENFILE, true), (ENOMEM, true), (EAGAIN, true), (ENOBUFS, true),
            (ENOENT, false), (EACCES, false), (EPERM, false), (E2BIG, false), (ENOSPC, false),
        ]
    )
    func lackOfResources(number: Int32, isLack: Bool) {
        #expect(TransportError.system("start a worker", number).isLackOfResources == isLack)
        #expect(!TransportError(code: .closed, message: "closed").isLackOfResources)
    }
}

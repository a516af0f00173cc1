#if os(Linux)
import Testing

@testable import LatticeProcess

struct HeldFileTests {
    @Test("An open file has a path below /proc, and none if that is not mounted")
    func names() throws {
        let file = try #require(HeldFile("/bin/sh"))
        let path = try #require(file.path)
        #expect(file.isNamed(path) && file.isNamed("/bin/sh"))
        #expect(file.path(asProcess: 7)?.hasPrefix("/proc/7/fd/") == true)
        #expect(file.path(asProcess: -1) == nil)
    }
}
#endif

#if os(Linux)
import Foundation
import LatticeProcess
import Testing

struct ProgramBuildTests {
    @Test("The build of a program is the build ID that its linker has written into the file")
    func itIsThatOfTheFile() throws {
        let file = try Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe"), options: .alwaysMapped)
        // The sizes of the note's name and of what it says, its kind, its name.
        let head = Data([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]) + Data("GNU\0".utf8)
        let note = try #require(file.range(of: head))
        #expect(ProgramBuild.own == [UInt8](file[note.upperBound..<note.upperBound + 20]))
    }
}
#endif

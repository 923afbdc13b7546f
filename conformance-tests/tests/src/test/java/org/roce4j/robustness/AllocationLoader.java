package org.roce4j.robustness;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;
import org.roce4j.suite.CopyLoader;

/**
 * The project's classes, in which the device and its engines ask {@link Allocations} before each
 * allocation: objects, arrays, lambdas, and the allocations of the JDK's collections and arenas for
 * them.
 */
final class AllocationLoader extends CopyLoader {
  private static final String SHARED = Allocations.class.getName();
  private static final Set<String> MAKERS =
      Set.of("add", "put", "computeIfAbsent", "merge", "allocate", "allocateDirect", "copyOf");
  private static final Set<String> GROWING = Set.of("add", "put", "computeIfAbsent", "merge");
  private static final ClassDesc ALLOCATIONS = ClassDesc.of(SHARED);
  private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

  @Override
  protected boolean isShared(String name) {
    return name.equals(SHARED);
  }

  @Override
  protected byte[] changed(String name, byte[] original) {
    boolean counts = name.startsWith("org.roce4j.device.") || name.startsWith("org.roce4j.engine.");
    return counts ? counted(original) : original;
  }

  private byte[] counted(byte[] original) {
    ClassFile classFile =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(getParent())));
    return classFile.transformClass(
        classFile.parse(original),
        ClassTransform.transformingMethodBodies(
            (code, element) -> {
              if (makes(element)) {
                code.invokestatic(ALLOCATIONS, "next", NOTHING);
              }
              code.with(element);
              if (takes(element)) {
                code.invokestatic(ALLOCATIONS, "next", NOTHING);
              }
            }));
  }

  /**
   * Whether the call adds to a collection, which may take the element and then find no memory to
   * grow.
   */
  private static boolean takes(CodeElement element) {
    return element instanceof InvokeInstruction call
        && call.owner().asInternalName().startsWith("java/util/")
        && GROWING.contains(call.name().stringValue());
  }

  private static boolean makes(CodeElement element) {
    return switch (element) {
      case NewObjectInstruction _ -> true;
      case NewPrimitiveArrayInstruction _ -> true;
      case NewReferenceArrayInstruction _ -> true;
      case NewMultiArrayInstruction _ -> true;
      case InvokeDynamicInstruction _ -> true;
      case InvokeInstruction call ->
          call.owner().asInternalName().startsWith("java/")
              && MAKERS.contains(call.name().stringValue());
      default -> false;
    };
  }
}

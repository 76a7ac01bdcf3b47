; ModuleID = 'workloads/spmv_jds/spmv_jds.cu'
source_filename = "workloads/spmv_jds/spmv_jds.cu"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

@diagonal_start = protected addrspace(4) externally_initialized global [5000 x i32] zeroinitializer, align 16
@warp_length = protected addrspace(4) externally_initialized global [5000 x i32] zeroinitializer, align 16
@llvm.compiler.used = appending addrspace(1) global [2 x i8*] [i8* addrspacecast (i8 addrspace(4)* bitcast ([5000 x i32] addrspace(4)* @diagonal_start to i8 addrspace(4)*) to i8*), i8* addrspacecast (i8 addrspace(4)* bitcast ([5000 x i32] addrspace(4)* @warp_length to i8 addrspace(4)*) to i8*)], section "llvm.metadata"

; Function Attrs: mustprogress nofree norecurse nosync nounwind
define protected amdgpu_kernel void @spmv_jds(float addrspace(1)* nocapture noundef writeonly %y.coerce, float addrspace(1)* nocapture noundef readonly %value.coerce, i32 addrspace(1)* nocapture noundef readonly %column.coerce, i32 addrspace(1)* nocapture noundef readonly %original_row.coerce, float addrspace(1)* nocapture noundef readonly %x.coerce, i32 noundef %rows) local_unnamed_addr #0 !dbg !7 {
entry:
  %0 = tail call i32 @llvm.amdgcn.workgroup.id.x() #2, !dbg !10
  %1 = tail call align 4 dereferenceable(64) i8 addrspace(4)* @llvm.amdgcn.dispatch.ptr() #2, !dbg !11
  %2 = getelementptr i8, i8 addrspace(4)* %1, i64 4, !dbg !11
  %3 = bitcast i8 addrspace(4)* %2 to i16 addrspace(4)*, !dbg !11
  %4 = load i16, i16 addrspace(4)* %3, align 4, !dbg !11, !range !12, !invariant.load !9
  %conv.i.i = zext i16 %4 to i32, !dbg !11
  %mul = mul i32 %0, %conv.i.i, !dbg !13
  %5 = tail call i32 @llvm.amdgcn.workitem.id.x() #2, !dbg !14, !range !15
  %add = add i32 %mul, %5, !dbg !16
  %cmp.not = icmp ult i32 %add, %rows, !dbg !17
  br i1 %cmp.not, label %if.end, label %cleanup, !dbg !18

if.end:                                           ; preds = %entry
  %div = lshr i32 %add, 5, !dbg !19
  %idxprom = zext i32 %div to i64, !dbg !20
  %arrayidx81 = getelementptr inbounds [5000 x i32], [5000 x i32] addrspace(4)* @warp_length, i64 0, i64 %idxprom, !dbg !20
  %6 = load i32, i32 addrspace(4)* %arrayidx81, align 4, !dbg !20, !tbaa !21
  %7 = load i32, i32 addrspace(4)* getelementptr inbounds ([5000 x i32], [5000 x i32] addrspace(4)* @diagonal_start, i64 0, i64 0), align 16, !dbg !25, !tbaa !21
  %add8 = add i32 %7, %add, !dbg !26
  %idxprom9 = zext i32 %add8 to i64, !dbg !27
  %arrayidx1082 = getelementptr inbounds float, float addrspace(1)* %value.coerce, i64 %idxprom9, !dbg !27
  %8 = load float, float addrspace(1)* %arrayidx1082, align 4, !dbg !27, !tbaa !28
  %arrayidx1283 = getelementptr inbounds i32, i32 addrspace(1)* %column.coerce, i64 %idxprom9, !dbg !30
  %9 = load i32, i32 addrspace(1)* %arrayidx1283, align 4, !dbg !30, !tbaa !21
  %idxprom13 = zext i32 %9 to i64, !dbg !31
  %arrayidx1484 = getelementptr inbounds float, float addrspace(1)* %x.coerce, i64 %idxprom13, !dbg !31
  %10 = load float, float addrspace(1)* %arrayidx1484, align 4, !dbg !31, !tbaa !28
  %cmp15 = icmp ugt i32 %6, 1, !dbg !32
  br i1 %cmp15, label %for.cond.preheader, label %if.end38, !dbg !33

for.cond.preheader:                               ; preds = %if.end
  %.pn94 = load i32, i32 addrspace(4)* getelementptr inbounds ([5000 x i32], [5000 x i32] addrspace(4)* @diagonal_start, i64 0, i64 1), align 4, !dbg !34, !tbaa !21
  %at.095 = add i32 %.pn94, %add, !dbg !34
  %idxprom18.pn96 = zext i32 %at.095 to i64, !dbg !34
  %next_column.0.in.in97 = getelementptr inbounds i32, i32 addrspace(1)* %column.coerce, i64 %idxprom18.pn96, !dbg !34
  %next_column.098 = load i32, i32 addrspace(1)* %next_column.0.in.in97, align 4, !dbg !34, !tbaa !21
  %cmp2099.not = icmp eq i32 %6, 2, !dbg !35
  br i1 %cmp2099.not, label %for.cond.cleanup, label %for.body, !dbg !36

for.cond.cleanup.loopexit:                        ; preds = %for.body
  %idxprom18.pn.le = zext i32 %at.0 to i64, !dbg !34
  br label %for.cond.cleanup, !dbg !34

for.cond.cleanup:                                 ; preds = %for.cond.cleanup.loopexit, %for.cond.preheader
  %idxprom18.pn.le.pre-phi = phi i64 [ %idxprom18.pn.le, %for.cond.cleanup.loopexit ], [ %idxprom18.pn96, %for.cond.preheader ], !dbg !34
  %factor.0.lcssa = phi float [ %13, %for.cond.cleanup.loopexit ], [ %8, %for.cond.preheader ], !dbg !34
  %operand.0.lcssa = phi float [ %14, %for.cond.cleanup.loopexit ], [ %10, %for.cond.preheader ], !dbg !34
  %sum.0.lcssa = phi float [ %add29, %for.cond.cleanup.loopexit ], [ 0.000000e+00, %for.cond.preheader ], !dbg !34
  %next_column.0.lcssa = phi i32 [ %next_column.0, %for.cond.cleanup.loopexit ], [ %next_column.098, %for.cond.preheader ], !dbg !34
  %mul32 = fmul contract float %factor.0.lcssa, %operand.0.lcssa, !dbg !37
  %add33 = fadd contract float %sum.0.lcssa, %mul32, !dbg !38
  %arrayidx3588 = getelementptr inbounds float, float addrspace(1)* %value.coerce, i64 %idxprom18.pn.le.pre-phi, !dbg !39
  %11 = load float, float addrspace(1)* %arrayidx3588, align 4, !dbg !39, !tbaa !28
  %idxprom36 = zext i32 %next_column.0.lcssa to i64, !dbg !40
  %arrayidx3789 = getelementptr inbounds float, float addrspace(1)* %x.coerce, i64 %idxprom36, !dbg !40
  %12 = load float, float addrspace(1)* %arrayidx3789, align 4, !dbg !40, !tbaa !28
  br label %if.end38, !dbg !41

for.body:                                         ; preds = %for.cond.preheader, %for.body
  %next_column.0105 = phi i32 [ %next_column.0, %for.body ], [ %next_column.098, %for.cond.preheader ]
  %idxprom18.pn104 = phi i64 [ %idxprom18.pn, %for.body ], [ %idxprom18.pn96, %for.cond.preheader ]
  %k.0103 = phi i32 [ %inc, %for.body ], [ 2, %for.cond.preheader ]
  %sum.0102 = phi float [ %add29, %for.body ], [ 0.000000e+00, %for.cond.preheader ]
  %operand.0101 = phi float [ %14, %for.body ], [ %10, %for.cond.preheader ]
  %factor.0100 = phi float [ %13, %for.body ], [ %8, %for.cond.preheader ]
  %arrayidx2290 = getelementptr inbounds float, float addrspace(1)* %value.coerce, i64 %idxprom18.pn104, !dbg !42
  %13 = load float, float addrspace(1)* %arrayidx2290, align 4, !dbg !42, !tbaa !28
  %idxprom23 = zext i32 %k.0103 to i64, !dbg !43
  %arrayidx2491 = getelementptr inbounds [5000 x i32], [5000 x i32] addrspace(4)* @diagonal_start, i64 0, i64 %idxprom23, !dbg !43
  %mul28 = fmul contract float %factor.0100, %operand.0101, !dbg !44
  %add29 = fadd contract float %sum.0102, %mul28, !dbg !45
  %idxprom30 = zext i32 %next_column.0105 to i64, !dbg !46
  %arrayidx3193 = getelementptr inbounds float, float addrspace(1)* %x.coerce, i64 %idxprom30, !dbg !46
  %14 = load float, float addrspace(1)* %arrayidx3193, align 4, !dbg !46, !tbaa !28
  %inc = add nuw i32 %k.0103, 1, !dbg !47
  %.pn = load i32, i32 addrspace(4)* %arrayidx2491, align 4, !dbg !34, !tbaa !21
  %at.0 = add i32 %.pn, %add, !dbg !34
  %idxprom18.pn = zext i32 %at.0 to i64, !dbg !34
  %next_column.0.in.in = getelementptr inbounds i32, i32 addrspace(1)* %column.coerce, i64 %idxprom18.pn, !dbg !34
  %next_column.0 = load i32, i32 addrspace(1)* %next_column.0.in.in, align 4, !dbg !34, !tbaa !21
  %exitcond.not = icmp eq i32 %inc, %6, !dbg !35
  br i1 %exitcond.not, label %for.cond.cleanup.loopexit, label %for.body, !dbg !36, !llvm.loop !48

if.end38:                                         ; preds = %for.cond.cleanup, %if.end
  %factor.1 = phi float [ %11, %for.cond.cleanup ], [ %8, %if.end ], !dbg !34
  %operand.1 = phi float [ %12, %for.cond.cleanup ], [ %10, %if.end ], !dbg !34
  %sum.1 = phi float [ %add33, %for.cond.cleanup ], [ 0.000000e+00, %if.end ], !dbg !34
  %mul39 = fmul contract float %factor.1, %operand.1, !dbg !52
  %add40 = fadd contract float %sum.1, %mul39, !dbg !53
  %idxprom41 = zext i32 %add to i64, !dbg !54
  %arrayidx4285 = getelementptr inbounds i32, i32 addrspace(1)* %original_row.coerce, i64 %idxprom41, !dbg !54
  %15 = load i32, i32 addrspace(1)* %arrayidx4285, align 4, !dbg !54, !tbaa !21
  %idxprom43 = zext i32 %15 to i64, !dbg !55
  %arrayidx4486 = getelementptr inbounds float, float addrspace(1)* %y.coerce, i64 %idxprom43, !dbg !55
  store float %add40, float addrspace(1)* %arrayidx4486, align 4, !dbg !56, !tbaa !28
  br label %cleanup, !dbg !57

cleanup:                                          ; preds = %entry, %if.end38
  ret void, !dbg !57
}

; Function Attrs: mustprogress nofree nosync nounwind readnone speculatable willreturn
declare i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: mustprogress nofree nosync nounwind readnone speculatable willreturn
declare align 4 i8 addrspace(4)* @llvm.amdgcn.dispatch.ptr() #1

; Function Attrs: mustprogress nofree nosync nounwind readnone speculatable willreturn
declare i32 @llvm.amdgcn.workitem.id.x() #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind "amdgpu-flat-work-group-size"="1,1024" "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1030" "target-features"="+16-bit-insts,+ci-insts,+dl-insts,+dot1-insts,+dot2-insts,+dot5-insts,+dot6-insts,+dot7-insts,+dpp,+flat-address-space,+gfx10-3-insts,+gfx10-insts,+gfx8-insts,+gfx9-insts,+s-memrealtime,+s-memtime-inst" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #2 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5}
!llvm.ident = !{!6}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "workloads/spmv_jds/spmv_jds.cu", directory: ".", checksumkind: CSK_MD5, checksum: "a3d308396160d0b19a7aec10b5819b7b")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 7, !"PIC Level", i32 1}
!6 = !{!"Debian clang version 14.0.6"}
!7 = distinct !DISubprogram(name: "spmv_jds", scope: !1, file: !1, line: 7, type: !8, scopeLine: 9, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !9)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 10, column: 20, scope: !7)
!11 = !DILocation(line: 10, column: 33, scope: !7)
!12 = !{i16 1, i16 1025}
!13 = !DILocation(line: 10, column: 31, scope: !7)
!14 = !DILocation(line: 10, column: 46, scope: !7)
!15 = !{i32 0, i32 1024}
!16 = !DILocation(line: 10, column: 44, scope: !7)
!17 = !DILocation(line: 11, column: 13, scope: !7)
!18 = !DILocation(line: 11, column: 9, scope: !7)
!19 = !DILocation(line: 13, column: 39, scope: !7)
!20 = !DILocation(line: 13, column: 23, scope: !7)
!21 = !{!22, !22, i64 0}
!22 = !{!"int", !23, i64 0}
!23 = !{!"omnipotent char", !24, i64 0}
!24 = !{!"Simple C++ TBAA"}
!25 = !DILocation(line: 14, column: 19, scope: !7)
!26 = !DILocation(line: 14, column: 37, scope: !7)
!27 = !DILocation(line: 15, column: 20, scope: !7)
!28 = !{!29, !29, i64 0}
!29 = !{!"float", !23, i64 0}
!30 = !DILocation(line: 15, column: 43, scope: !7)
!31 = !DILocation(line: 15, column: 41, scope: !7)
!32 = !DILocation(line: 16, column: 16, scope: !7)
!33 = !DILocation(line: 16, column: 9, scope: !7)
!34 = !DILocation(line: 0, scope: !7)
!35 = !DILocation(line: 20, column: 32, scope: !7)
!36 = !DILocation(line: 20, column: 9, scope: !7)
!37 = !DILocation(line: 29, column: 23, scope: !7)
!38 = !DILocation(line: 29, column: 13, scope: !7)
!39 = !DILocation(line: 30, column: 18, scope: !7)
!40 = !DILocation(line: 31, column: 19, scope: !7)
!41 = !DILocation(line: 32, column: 5, scope: !7)
!42 = !DILocation(line: 21, column: 33, scope: !7)
!43 = !DILocation(line: 22, column: 18, scope: !7)
!44 = !DILocation(line: 24, column: 27, scope: !7)
!45 = !DILocation(line: 24, column: 17, scope: !7)
!46 = !DILocation(line: 25, column: 23, scope: !7)
!47 = !DILocation(line: 20, column: 43, scope: !7)
!48 = distinct !{!48, !36, !49, !50, !51}
!49 = !DILocation(line: 28, column: 9, scope: !7)
!50 = !{!"llvm.loop.mustprogress"}
!51 = !{!"llvm.loop.unroll.count", i32 1}
!52 = !DILocation(line: 33, column: 41, scope: !7)
!53 = !DILocation(line: 33, column: 32, scope: !7)
!54 = !DILocation(line: 33, column: 7, scope: !7)
!55 = !DILocation(line: 33, column: 5, scope: !7)
!56 = !DILocation(line: 33, column: 26, scope: !7)
!57 = !DILocation(line: 34, column: 1, scope: !7)
